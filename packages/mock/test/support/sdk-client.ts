/** An SDK client on a mock in the same process, on the mock's clock. */
import { createClient } from '@svc/sdk';
import type { Mock } from '../../src/index.ts';

export const NOW = '2026-03-31T12:00:00.000Z';

/** Creates a client whose waits advance the mock's clock instead of real time. */
export function connect(mock: Mock, options: { maxRetries?: number; random?: () => number } = {}) {
  const waits: number[] = [];
  const statuses: number[] = [];
  const client = createClient({
    baseUrl: 'http://svc.test',
    apiKey: mock.keys.osapi_demo_read,
    fetch: mock.fetch,
    now: () => mock.clock.now.getTime(),
    sleep: async (ms) => {
      waits.push(ms);
      await mock.clock.advance(ms);
    },
    onResponse: ({ status }) => statuses.push(status),
    ...options,
  });
  return { client, waits, statuses };
}
