import { createClient } from '@svc/sdk';

declare const baseUrl: string;
declare const apiKey: string;

// Example of the README:
async function countFailures(from: string): Promise<number> {
  await using client = createClient({ baseUrl, apiKey });
  const { error } = await client.syncs.metrics({ from });
  return error;
}
// End of the example.
export { countFailures };
