import { createClient } from '@svc/sdk';

declare const baseUrl: string;
declare const apiKey: string;
declare function log(...words: string[]): void;

// Example of the README:
import { createValidator } from '@svc/sdk/validate';

// InvalidResponseError: ... data[3].createdAt is null, not a string
const strict = createClient({ baseUrl, apiKey, validate: createValidator('strict') });
const validate = createValidator('warn', { onProblem: ({ path, message }) => log(path, message) });
const lenient = createClient({ baseUrl, apiKey, validate });
// End of the example.
export { lenient, strict };
