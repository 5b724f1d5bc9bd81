import type { Access } from '@svc/domain/requests/access';
import { isRecipient, outreachKeys, parseContactIdentity } from '@svc/domain/contacts/contact-identity';
import { type OutreachRow, type OutreachSum, sumOutreachRows } from '@svc/domain/contacts/outreach';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import type { Database } from './database/db.ts';
import { ERASED } from './erased.ts';
import { readOutreach } from './outreach.ts';

const NOW = Date.parse('2026-03-15T12:00:00.000Z');
const at = (ms: number) => new Date(NOW + ms);
/** Account 1 has the first three connections. Pipedrive stores no profile URLs. */
const CRMS = ['HUBSPOT', 'HUBSPOT', 'PIPEDRIVE', 'HUBSPOT'];
const PROFILE = 'https://www.linkedin.com/in/jane';
const IDENTITIES = [
  { email: 'jane@example.com' },
  { profileUrl: PROFILE },
  { email: 'jane@example.com', profileUrl: PROFILE },
].map(({ email, profileUrl }) => outreachKeys(parseContactIdentity({ email, profileUrl })));

const row = fc.record({
  log: fc.constantFrom('syncs' as const, 'deliveries' as const),
  connectionId: fc.integer({ min: 1, max: CRMS.length }),
  // There is no source 3.
  sourceId: fc.constantFrom(1, 2, 3, null),
  payloadId: fc.constantFrom(1, 2, 3, null),
  eventType: fc.constantFrom('EMAIL_SENT', 'EMAIL_OPEN'),
  hasEventType: fc.boolean(),
  platform: fc.constantFrom('smartlead', 'instantly'),
  toEmail: fc.constantFrom('jane@example.com', 'Jane@Example.COM', PROFILE, `${PROFILE}/`, 'john@example.com'),
  // Often the same instant, as rows that are written together have.
  createdAt: fc.constantFrom(0, 0, 1, 2, 1_000).map(at),
});
type LogRow = typeof row extends fc.Arbitrary<infer T> ? T : never;
const action = fc.oneof(
  fc.record({ kind: fc.constant('insert'), rows: fc.array(row, { minLength: 1, maxLength: 20 }) }),
  fc.record({ kind: fc.constant('erase'), connectionId: fc.integer({ min: 1, max: CRMS.length }) }),
  fc.record({ kind: fc.constant('drop'), before: fc.constantFrom(1, 2).map(at) }),
  fc.record({ kind: fc.constant('removeSource'), sourceId: fc.constantFrom(1, 2) }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

describe.each(backends)('sums of the outreach to a contact on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('equal the rows', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
      await db.query(
        `insert into accounts (id, email, created_at) select id, id || '@example.com', $1 from generate_series(1, 2) id`,
        [at(0)],
      );
      await db.query(
        `insert into connections (id, account_id, crm, organization_id, organization_domain, can_use_api, created_at)
          select id, case id when 4 then 2 else 1 end, crm, id, 'example.com', true, $2
          from unnest($1::text[]) with ordinality as crms (crm, id)`,
        [CRMS, at(0)],
      );
    });
    afterAll(async () => {
      await db.close();
    });

    async function restart(): Promise<void> {
      await db.script(`truncate syncs, deliveries; delete from sources`);
      await db.query(
        `insert into sources (id, connection_id, platform, path, created_at) values (1, 1, 'smartlead', '1', $1), (2, 2, 'instantly', '2', $1)`,
        [at(0)],
      );
    }

    async function insert(rows: readonly LogRow[]): Promise<void> {
      const of = (log: LogRow['log']) => JSON.stringify(rows.filter((each) => each.log === log));
      const columns = 'account_id, connection_id, source_id, payload_id, to_email, created_at, status, event_type';
      const values = `select account_id, "connectionId", "sourceId", "payloadId", "toEmail", r."createdAt", 'success'`;
      const recordset = `jsonb_to_recordset($1::jsonb) as r ("connectionId" bigint, "sourceId" bigint, "payloadId" bigint, "toEmail" text,
        "createdAt" timestamptz, "eventType" text, "hasEventType" boolean, platform text) join connections c on c.id = "connectionId"`;
      await db.query(`insert into syncs (${columns}, platform) ${values}, "eventType", platform from ${recordset}`, [
        of('syncs'),
      ]);
      await db.query(
        `insert into deliveries (${columns}, destination_id, destination_url)
          ${values}, case when "hasEventType" then "eventType" end, 1, 'https://example.com/' from ${recordset}`,
        [of('deliveries')],
      );
    }

    async function run(did: Action): Promise<void> {
      switch (did.kind) {
        case 'insert':
          return insert(did.rows);
        case 'erase':
          for (const log of ['syncs', 'deliveries'])
            await db.query(`update ${log} set to_email = $2, payload_id = null where connection_id = $1`, [
              did.connectionId,
              ERASED,
            ]);
          return;
        case 'drop':
          for (const log of ['syncs', 'deliveries'])
            await db.query(`delete from ${log} where created_at < $1`, [did.before]);
          return;
        case 'removeSource':
          await db.query('delete from sources where id = $1', [did.sourceId]);
      }
    }

    async function listRows(): Promise<(OutreachRow & { connectionId: number; toEmail: string })[]> {
      const { rows } = await db.query<OutreachRow & { connectionId: number; toEmail: string }>(
        `select rows.connection_id as "connectionId", event_type as "eventType", rows.platform, payload_id as "payloadId",
            to_email as "toEmail", created_at as "createdAt"
          from (
            select connection_id, event_type, platform, payload_id, to_email, created_at from syncs
            union all
            select d.connection_id, event_type, s.platform, payload_id, to_email, d.created_at
            from deliveries d left join sources s on s.id = d.source_id where event_type is not null
          ) rows order by random()`,
      );
      return rows;
    }

    test('property: for every key, whatever happens to the rows', async () => {
      let most = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(row, { minLength: 1, maxLength: 20 }),
          fc.array(action, { minLength: 1, maxLength: 4 }),
          fc.subarray([1, 2, 3], { minLength: 1 }),
          async (first, actions, connectionIds) => {
            const access: Access = {
              ...{ accountId: 1, connectionIds, accountScoped: true, keyConnectionId: null, scopes: ['read'] },
            };
            await restart();
            for (const did of [{ kind: 'insert', rows: first } satisfies Action, ...actions]) {
              await run(did);
              const rows = await listRows();
              for (const keys of IDENTITIES) {
                const seen = rows.filter(
                  ({ connectionId, toEmail }) =>
                    connectionIds.includes(connectionId) && isRecipient(keys, toEmail, CRMS[connectionId - 1] ?? ''),
                );
                const { sums } = await readOutreach(db, access, keys);
                expect(inOrder(sums)).toEqual(inOrder(sumOutreachRows(seen)));
                most = Math.max(most, sums.length);
              }
            }
          },
        ),
        { numRuns: 25 },
      );
      expect(most).toBeGreaterThan(0);
    });
  });
});

function inOrder(sums: readonly OutreachSum[]): OutreachSum[] {
  const name = ({ eventType, platform }: OutreachSum) => `${eventType} ${platform}`;
  return sums.toSorted((a, b) => name(a).localeCompare(name(b)));
}
