/**
 * Invariants of block lists under random sequences of resyncs, pauses, faults, lost leases and time between their
 * calls.
 */
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sized } from '../../../../scripts/vitest/size.ts';
import { backends } from '@svc/engine/test/backends';
import {
  addresses,
  type BlocklistServer,
  expectCountsToHold,
  type MadeList,
  startBlocklistServer,
} from '../support/blocklist-server.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Two pages and two batches. */
const MEMBERS = addresses(600);

type Happening =
  | { what: 'resync' | 'pause' | 'take over' }
  | { what: 'join' | 'leave'; member: number }
  | { what: 'CRM fails'; fault: 503 | 403 | 'reset' | 'lost-answer' }
  | { what: 'sequencer fails'; fault: 503 | 422 | 'reset' | 'lost-answer' }
  /** The sequencer refuses these entries from now on. */
  | { what: 'sequencer minds'; members: number[] }
  | { what: 'time passes'; ms: number };

const what = <Name extends string>(...names: Name[]) => fc.record({ what: fc.constantFrom(...names) });
const atAnyMoment = fc.oneof(
  what('resync', 'pause', 'take over'),
  fc.record({ what: fc.constantFrom('join' as const, 'leave' as const), member: fc.nat({ max: 99 }) }),
);
const fault = <Refusal extends 403 | 422>(refusal: Refusal) =>
  fc.constantFrom(503 as const, refusal, 'reset' as const, 'lost-answer' as const);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: atAnyMoment },
  { weight: 1, arbitrary: what('resync') },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('CRM fails' as const), fault: fault(403) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('sequencer fails' as const), fault: fault(422) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('sequencer minds' as const),
      members: fc.array(fc.nat({ max: MEMBERS.length - 1 }), { maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant('time passes' as const), ms: fc.constantFrom(0, 60_000, DAY_MS) }),
  },
);
/** An event just before the call of that number. */
const interruption = fc.record({ call: fc.nat({ max: 30 }), happening: atAnyMoment });

class Life {
  readonly #server: BlocklistServer;
  readonly #list: MadeList;
  readonly #members = new Set(MEMBERS);

  constructor(server: BlocklistServer, list: MadeList) {
    this.#server = server;
    this.#list = list;
  }

  async meet(next: Happening): Promise<void> {
    const { id, crmListId } = this.#list;
    switch (next.what) {
      case 'resync':
      case 'pause':
        expect([200, 409]).toContain((await this.#server.act(id, next.what)).status);
        return;
      case 'take over':
        await this.#server.db.query('update jobs set fence = fence + 1, due_at = $1 where is_leased', [
          this.#server.clock.now(),
        ]);
        return;
      case 'join':
      case 'leave': {
        const member = next.what === 'join' ? `late${next.member}@example.org` : (MEMBERS[next.member] ?? '');
        if (next.what === 'join') this.#members.add(member);
        else this.#members.delete(member);
        this.#server.crm[next.what === 'join' ? 'addListMembers' : 'removeListMembers'](crmListId, [member]);
        return;
      }
      case 'CRM fails':
        this.#server.crm.failNext(1, next.fault, { match: new RegExp(`/lists/${crmListId}`) });
        return;
      case 'sequencer fails':
        this.#server.sequencer.failNext(1, next.fault);
        return;
      case 'sequencer minds':
        this.#server.sequencer.refuseEntries(next.members.map((index) => MEMBERS[index] ?? ''));
        return;
      case 'time passes':
        await this.#server.settle(next.ms);
    }
  }

  /** After all faults, a resync makes list, sequencer and CRM agree. */
  async end(): Promise<void> {
    const { id, token } = this.#list;
    this.#server.sequencer.refuseEntries([]);
    let isDone = false;
    for (let round = 0; round < 20 && !isDone; round += 1) {
      const { status } = await this.#server.act(id, 'resync');
      await this.#server.settle(HOUR_MS);
      const list = await this.#server.show(id);
      // After an hour no list is active. A paused one may remain paused when its waiting fetch made the resync a 409.
      expect(list.isEnabled || status === 409).toBe(true);
      expect(list.status).toMatch(list.isEnabled ? /^(SYNCED|CREATED)$/ : /^(SYNCED|CREATED|SYNCING_NEW_CONTACTS)$/);
      isDone = status === 200 && list.lastError === null;
    }
    expect(isDone).toBe(true);
    const entries = await this.#server.entries(id);
    expect(entries.map((entry) => entry.value)).toEqual([...this.#members].sort());
    expect(await this.#server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: this.#members.size });
    const blocked = new Set(this.#server.sequencer.entries({ platform: 'smartlead', token }));
    expect([...this.#members].filter((member) => !blocked.has(member))).toEqual([]);
  }
}

const [pglite] = backends;
let server: BlocklistServer;
beforeAll(async () => {
  if (!pglite) throw new Error('PGlite is always there.');
  server = await startBlocklistServer(pglite);
});
afterAll(async () => {
  await server.close();
});

test('counts match the entries at every call, and every sequence ends in agreement', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { maxLength: 10 }),
      fc.array(interruption, { maxLength: 4 }),
      async (happenings, interruptions) => {
        await server.reset();
        const list = await server.makeList({ members: MEMBERS });
        const life = new Life(server, list);
        let calls = 0;
        server.onCall(async () => {
          await expectCountsToHold(server, list.id);
          calls += 1;
          for (const { call, happening: next } of interruptions) if (call === calls) await life.meet(next);
        });
        await life.meet({ what: 'resync' });
        await life.meet({ what: 'time passes', ms: 0 });
        for (const next of happenings) {
          await life.meet(next);
          await expectCountsToHold(server, list.id);
        }
        await server.act(list.id, 'resync');
        await server.settle();
        server.onCall(() => expectCountsToHold(server, list.id));
        await life.end();
        server.crm.deleteList(list.crmListId);
        await server.db.query('delete from blocklists where id = $1', [list.id]);
      },
    ),
    {
      numRuns: sized(60),
      examples: [
        // Paused while its fetch waits for the next attempt.
        [
          [
            { what: 'CRM fails', fault: 403 },
            { what: 'time passes', ms: DAY_MS },
            { what: 'CRM fails', fault: 503 },
          ],
          [{ call: 14, happening: { what: 'pause' } }],
        ],
      ],
    },
  );
});
