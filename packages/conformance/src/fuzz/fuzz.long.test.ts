/**
 * Thousands of unusual requests: every one gets an answer that the contract declares, never a 500. Each run prints its seed;
 * `SVC_FUZZ_SEED` repeats it.
 */
import { operations } from '@svc/contract/operations';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { seedOf } from '../../../../scripts/vitest/seed.ts';
import { inboundUrl } from '../cases/inbound.ts';
import { RAW_REQUESTS } from './raw-requests.ts';
import { type FuzzRequest, requestsTo } from './requests.ts';
import {
  operationOf,
  parseAnswers,
  problemsWith,
  problemsWithError,
  sendByFetch,
  sendRaw,
  sendRequest,
} from './send.ts';
import { onEveryTarget } from '../harness/suite.ts';
import { NOW } from '../harness/world.ts';

const SEED = seedOf('SVC_FUZZ_SEED');
const RUNS_PER_OPERATION = 56;
const REQUESTS_MIN = 2_000;
/** Deletions come last, so that webhooks exist for the other operations. */
const DELETING_LAST = operations.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

onEveryTarget(
  (api, { acceptsRawRequests }) => {
    let sent = 0;
    /** Skips requests that the target's transport cannot send. */
    async function exchange(request: FuzzRequest) {
      const target = api.target();
      const exchanged = acceptsRawRequests
        ? { sent: request, answer: await sendRequest(target.baseUrl, request) }
        : await sendByFetch(target, request);
      fc.pre(exchanged !== null);
      sent += 1;
      return exchanged;
    }
    afterAll(() => {
      console.info(`fuzz: ${sent} requests, SVC_FUZZ_SEED=${SEED}`);
    });

    describe('unusual requests', () => {
      test.each(DELETING_LAST)(
        '$id answers as the contract declares',
        async ({ id }) => {
          const property = fc.asyncProperty(requestsTo(id), async (request) => {
            const { sent: asked, answer } = await exchange(request);
            expect(problemsWith(asked, answer), JSON.stringify(answer).slice(0, 600)).toEqual([]);
          });
          await fc.assert(property, { seed: SEED, numRuns: RUNS_PER_OPERATION });
        },
        600_000,
      );

      test('an inbound URL answers 200, 400, 404 or 413', async () => {
        const ownPath = (await inboundUrl(api, 1)).slice(api.target().baseUrl.length);
        const bodies = fc.oneof(
          fc.json().map((text) => Buffer.from(text)),
          fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
          fc
            .constantFrom('{}', '[]', 'null', '['.repeat(9_000), `{"event_type":"\\u0000\\ud800"}`)
            .map((t) => Buffer.from(t)),
        );
        const paths = fc.oneof(
          { weight: 4, arbitrary: fc.constant(ownPath) },
          {
            weight: 1,
            arbitrary: fc.constantFrom(
              '/webhooks/x',
              '/webhooks/%00',
              '/webhooks/a/b/c',
              '/webhooks/%zz',
              '/webhooks/..',
            ),
          },
        );
        const property = fc.asyncProperty(paths, bodies, async (target, body) => {
          const { answer } = await exchange({
            method: 'POST',
            target,
            headers: { 'content-type': 'application/json' },
            body,
          });
          expect([200, 400, 404, 413], answer.text).toContain(answer.status);
          if (answer.status !== 200) expect(problemsWithError(answer)).toEqual([]);
        });
        await fc.assert(property, { seed: SEED, numRuns: 80 });
        await api.target().settle();
      });

      test.skipIf(!acceptsRawRequests).each(RAW_REQUESTS)('raw bytes: %s', async (_name, bytes) => {
        const { baseUrl } = api.target();
        const text = await sendRaw(baseUrl, bytes);
        sent += 1;
        // The connection may be closed without an answer.
        if (text === '') return;
        if (bytes.toString().startsWith('HEAD ')) {
          expect(text).toMatch(/^HTTP\/1\.1 400 [^]*?\r\n\r\n$/);
          return;
        }
        for (const answer of parseAnswers(text)) {
          expect(answer.status, text.slice(0, 300)).toBeLessThan(500);
          if (answer.status >= 400) expect(problemsWithError(answer)).toEqual([]);
        }
      });

      test('the service still works, and there were enough requests', async () => {
        await api.advance(60_000);
        expect((await api.fetch(`${api.target().baseUrl}/health/live`)).status).toBe(200);
        const { account } = await api.read('getMe');
        expect(account.id).toBe(1);
        expect(
          (await api.read('listSyncs', { query: { from: '2026-03-01', to: NOW.toISOString() } })).data,
        ).toHaveLength(100);
        expect(operationOf('GET', '/api/v1/syncs/metrics')?.id).toBe('getSyncMetrics');
        expect(sent).toBeGreaterThanOrEqual(REQUESTS_MIN);
      });
    });
  },
  { workers: 'off' },
);
