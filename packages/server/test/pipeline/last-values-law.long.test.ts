/** Law: whatever the order of events, however they are cut into batches, repeated and counted at the same time, the values are the same. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinStates, LAST_VALUE_NAMES, NO_LAST_VALUES, stateOfEvent, valuesOf } from '@svc/domain/policy/last-values';
import { type CountedEvent, countLastValues } from '@svc/engine/store/last-values';
import { backends } from '@svc/engine/test/backends';
import { sized } from '../../../../scripts/vitest/size.ts';
import { type Administration, makePipeline, openAdministration } from '../support/admin-harness.ts';

const CASES = sized(1_000);
const NOW = new Date('2026-03-01T12:00:00.000Z');

const anyEvent = fc.record({
  person: fc.constantFrom('ann', 'bo'),
  shows: fc.constantFrom('email', 'url', 'both'),
  eventType: fc.constantFrom('EMAIL_SENT', 'EMAIL_OPEN', 'EMAIL_REPLY'),
  second: fc.integer({ min: 0, max: 4 }),
});
type AnyEvent = typeof anyEvent extends fc.Arbitrary<infer Value> ? Value : never;

const anyCase = fc.array(anyEvent, { minLength: 1, maxLength: 8 }).chain((events) =>
  fc.record({
    events: fc.constant(events),
    /** Batches that are counted at the same time, in turns. */
    turns: fc.array(
      fc.array(fc.array(fc.integer({ min: 0, max: events.length - 1 }), { minLength: 1, maxLength: 4 }), {
        minLength: 1,
        maxLength: 2,
      }),
      { maxLength: 4 },
    ),
  }),
);

describe.each(backends)('the law of last values on $name', (backend) => {
  let admin: Administration;
  let connectionId = 0;
  let sourceId = 0;
  let caseCount = 0;
  beforeAll(async () => {
    if (!backend.isAvailable) return;
    admin = await openAdministration(backend);
    const { connection, source } = await makePipeline(admin, 'law@example.com');
    [connectionId, sourceId] = [connection.id, source.id];
  });
  afterAll(() => admin?.close());

  async function store(events: readonly AnyEvent[]): Promise<CountedEvent[]> {
    caseCount += 1;
    const shown = events.map(({ person, shows, eventType, second }, index) => {
      const email = shows === 'url' ? null : `${person}-${caseCount}@example.org`;
      const profileUrl = shows === 'email' ? null : `https://www.linkedin.com/in/${person}-${caseCount}`;
      const event = {
        ...{ key: `1:${index}`, at: new Date(NOW.getTime() + second * 1_000), sequencer: 'smartlead', eventType },
        ...{ fromEmail: null, campaign: { id: null, name: null }, category: null, sequenceNumber: index },
        ...{ subject: `Subject ${index}`, text: null, linkUrls: [], leadUrl: null },
      };
      return {
        email,
        profileUrl,
        toEmail: email ?? profileUrl ?? '',
        state: stateOfEvent(event),
        key: `${caseCount} ${index}`,
      };
    });
    const { rows } = await admin.ctx.db.query<{ id: number }>(
      `insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform, normalized, created_at)
        select 1, $1, $2, key, 'EMAIL_OPEN', to_email, 'smartlead', '{}', $5 from unnest($3::text[], $4::text[]) as events (key, to_email)
        returning id`,
      [sourceId, connectionId, shown.map(({ key }) => key), shown.map(({ toEmail }) => toEmail), NOW],
    );
    return shown.map(({ key: _key, ...event }, index) => ({ ...event, id: rows[index]?.id ?? 0 }));
  }

  /** Returns what is known of the person of an event when all are counted. */
  function expectedOf({ person, shows }: AnyEvent, events: readonly AnyEvent[], stored: readonly CountedEvent[]) {
    const isLinked = events.some((other) => other.person === person && other.shows === 'both');
    return events.reduce((state, other, index) => {
      const isSame = other.person === person && (isLinked || other.shows === shows);
      return isSame ? joinStates(state, stored[index]?.state ?? NO_LAST_VALUES) : state;
    }, NO_LAST_VALUES);
  }

  test.skipIf(!backend.isAvailable)(
    'every order, repetition and interleaving ends in the same values',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyCase, async ({ events, turns }) => {
          const stored = await store(events);
          const count = (batch: readonly CountedEvent[]) => countLastValues(admin.ctx.db, connectionId, batch, NOW);
          const at = (indexes: readonly number[]) =>
            [...new Set(indexes)].flatMap((index) => stored[index] ?? []).toSorted((a, b) => a.id - b.id);
          for (const batches of turns) await Promise.all(batches.map((indexes) => count(at(indexes))));
          await count(stored);
          const states = await count(stored);
          for (const [index, event] of events.entries()) {
            const state = states.get(stored[index]?.id ?? 0) ?? NO_LAST_VALUES;
            expect(valuesOf(state, LAST_VALUE_NAMES)).toEqual(
              valuesOf(expectedOf(event, events, stored), LAST_VALUE_NAMES),
            );
          }
        }),
        { numRuns: CASES },
      );
    },
    600_000,
  );
});
