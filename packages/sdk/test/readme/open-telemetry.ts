import { createClient } from '@svc/sdk';

declare const baseUrl: string;
declare const apiKey: string;

// Example of the README:
import { metrics } from '@opentelemetry/api';

const duration = metrics.getMeter('svc').createHistogram('svc.client.duration', { unit: 'ms' });
const client = createClient({
  baseUrl,
  apiKey,
  onResponse: ({ method, url, status, durationMs }) =>
    duration.record(durationMs, { method, status, path: new URL(url).pathname.replaceAll(/\/\d+/g, '/{id}') }),
});
// End of the example.
export { client };
