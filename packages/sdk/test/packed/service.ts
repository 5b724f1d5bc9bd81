import { createMock } from '@svc/mock';
import { expect } from 'vitest';

export interface Service {
  readonly url: string;
  readonly apiKey: string;
  /** Asserts the result of `prove` and the runtime's `User-Agent`. Once for each run. */
  expectProof(result: unknown, userAgent: RegExp): void;
  close(): Promise<void>;
}

/** Starts a mock on a port, for `consumer/prove.js`. */
export async function startService(): Promise<Service> {
  const mock = createMock({ now: '2026-03-31T12:00:00Z' });
  const { url } = await mock.listen();
  const apiKey = mock.keys.osapi_demo_write;
  const answer = await fetch(`${url}/api/v1/syncs?from=2026-03-01&to=2026-03-31&limit=40`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  const newest: { data: { id: number }[] } = JSON.parse(await answer.text());
  const ids = newest.data.map(({ id }) => id);
  return {
    url,
    apiKey,
    expectProof(result, userAgent) {
      expect(ids).toHaveLength(40);
      expect(result).toEqual({
        ids,
        missing: [true, true, 404, 'Sync 99999999 not found'],
        secret: 'oswhsec_',
        event: ['osevt_1', 'Zoë 🚀'],
        refused: [true, 'WebhookVerificationError'],
      });
      const calls = mock.journal.find({ operation: 'createWebhook' });
      expect(calls.map(({ headers }) => headers['user-agent'])).toEqual([expect.stringMatching(userAgent)]);
      mock.journal.clear();
    },
    close: () => mock.close(),
  };
}
