/**
 * The table of job kinds against everybody who treats jobs: each kind is tried with each of them, on a database in which two
 * accounts have everything. A new kind fails here with the name of the file that it lacks.
 */
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  composeRef,
  fairnessKeys,
  JOB_SUBJECTS,
  type JobKind,
  listKinds,
  listSerialKinds,
  parseRef,
  type Removable,
  rulesOf,
} from '@svc/engine/jobs/kinds';
import { enqueue } from '@svc/engine/queue/queue';
import type { Database } from '@svc/engine/store/database/db';
import { erasedJobsSql, jobsNeeding } from '@svc/engine/store/job-rows';
import { LOG_TABLES } from '@svc/engine/store/schema/index';
import { anyBackend } from '@svc/engine/test/backends';
import { remove } from '@svc/operations/store/removals';
import { JOB_HANDLERS, workerPools } from '../../src/main/job-handlers.ts';
import { NOW } from '../support/admin-harness.ts';

const KINDS = listKinds();
const REMOVABLES: readonly Removable[] = [
  ...(['account', 'connection', 'source', 'destination', 'relay', 'blocklist', 'sequencer-key', 'alert'] as const),
];
const ACCOUNTS = [1, 2];
const OLD = new Date('2026-01-10T00:00:00.000Z');

/** Rows of one account, all with the number of the account as their id. */
const rowsOf = (n: number): string => `
  insert into accounts (id, email, created_at) values (${n}, '${n}@example.org', '2025-01-01');
  insert into connections (id, account_id, crm, organization_id, organization_domain, created_at)
    values (${n}, ${n}, 'HUBSPOT', '${n}', 'example.org', '2025-01-01');
  insert into sources (id, connection_id, platform, path, created_at) values (${n}, ${n}, 'smartlead', 'p${n}', '2025-01-01');
  insert into destinations (id, connection_id, url, created_at) values (${n}, ${n}, 'https://example.com', '2025-01-01');
  insert into reply_relays (id, connection_id, cc_email, created_at) values (${n}, ${n}, 'a@example.com', '2025-01-01');
  insert into blocklists (id, connection_id, list_name, platform, block_type, status, is_enabled, created_at)
    values (${n}, ${n}, 'list', 'smartlead', 'EMAIL', 'CREATED', true, '2025-01-01');
  insert into sequencer_keys (id, account_id, name, platform, created_at) values (${n}, ${n}, 'key', 'smartlead', '2025-01-01');
  insert into requests (id, account_id, connection_id, source_id, path, created_at) values (${n}, ${n}, ${n}, ${n}, 'p${n}', '${OLD.toISOString()}');
  insert into inbound_events (id, request_id, source_id, connection_id, event_key, event_type, to_email, platform, normalized, created_at)
    values (${n}, ${n}, ${n}, ${n}, 'key', 'email_reply', 'lead@example.org', 'smartlead', '{}', '${OLD.toISOString()}');
  insert into syncs (id, account_id, connection_id, source_id, payload_id, inbound_event_id, status, event_type, to_email, platform, created_at)
    values (${n}, ${n}, ${n}, ${n}, ${n}, ${n}, 'error', 'email_reply', 'lead@example.org', 'smartlead', '${OLD.toISOString()}');
  insert into deliveries (id, account_id, connection_id, destination_id, destination_url, status, source_id, payload_id, created_at)
    values (${n}, ${n}, ${n}, ${n}, 'https://example.com', 'error', ${n}, ${n}, '${OLD.toISOString()}');
  insert into webhooks (id, account_id, url, secret, created_at, updated_at)
    values ('${n}', ${n}, 'https://example.com', 'sealed', '2025-01-01', '2025-01-01');
  insert into events (id, account_id, connection_id, source_id, type, summary, data, created_at)
    values ('${n}', ${n}, ${n}, ${n}, 'sync.failed', 'text', '{}', '${OLD.toISOString()}');
  insert into webhook_deliveries (id, event_id, webhook_id, status, created_at, updated_at)
    values ('${n}', '${n}', '${n}', 'PENDING', '${OLD.toISOString()}', '${OLD.toISOString()}');
  insert into relay_mails (id, account_id, connection_id, relay_id, event_id, status, received_at, due_at, created_at)
    values (${n}, ${n}, ${n}, ${n}, ${n}, 'waiting', '2026-01-10', '2026-01-10', '2026-01-10');
  insert into receipt_runs (id, source_id, from_at, until_at, last_request_id, is_forwarding, is_dry_run, total, counts, created_at)
    values (${n}, ${n}, '2026-01-01', '2026-01-02', ${n}, false, false, 1, '{}', '2026-01-10');
  insert into backfill_runs (id, source_id, from_at, until_at, is_forwarding, is_dry_run, counts, created_at)
    values (${n}, ${n}, '2026-01-01', '2026-01-02', false, false, '{}', '2026-01-10');
  insert into alert_channels (id, account_id, kind, place, topics, created_at) values (${n}, ${n}, 'slack', 'hooks.example.com', '{}', '2026-01-10');
  insert into alert_messages (id, channel_id, kind, created_at) values (${n}, ${n}, 'test', '2026-01-10');`;

const CONTENT = {
  name: 'job_kinds',
  async load(db: Database) {
    for (const n of ACCOUNTS) await db.script(rowsOf(n));
    await enqueue(db, ...ACCOUNTS.flatMap((n) => KINDS.map((kind) => jobOf(kind, n))));
    await db.query(`insert into set_aside_jobs (kind, ref, fairness_key, state, created_at, error, set_aside_at)
      select kind, ref, fairness_key, state, created_at, 'text', created_at from jobs`);
  },
};

/** A job about the rows of an account. */
function jobOf(kind: JobKind, n: number) {
  const { refEnd, fairnessKey } = rulesOf(kind);
  const keys: Record<keyof typeof fairnessKeys, string> = {
    connection: fairnessKeys.connection(n),
    destination: fairnessKeys.destination(n, n),
    webhook: fairnessKeys.webhook(n, String(n)),
    relay: fairnessKeys.relay(n, n),
    rereading: fairnessKeys.rereading(),
    alert: fairnessKeys.alert(n, n),
  };
  const ref = refEnd === null ? composeRef(n) : composeRef(n, n);
  return { kind, ref, fairnessKey: keys[fairnessKey], dueAt: NOW, createdAt: NOW };
}

describe('the table of job kinds', () => {
  let db: Database;
  beforeEach(async () => {
    db = await anyBackend.open(CONTENT);
  });
  afterEach(() => db.close());

  const kindsIn = async (table: string, n: number): Promise<string[]> => {
    const { rows } = await db.query<{ kind: string; ref: string }>(`select kind, ref from ${table} order by kind`);
    return rows.filter((job) => parseRef(job).subjectId === n).map(({ kind }) => kind);
  };

  test.each(REMOVABLES)('a removed %s takes the jobs with it that the table says, set aside or not', async (what) => {
    const kept = KINDS.filter((kind) => rulesOf(kind).removedWith[what] === undefined).toSorted();
    await remove(db, what, 1);
    expect(await kindsIn('jobs', 1)).toEqual(kept);
    expect(await kindsIn('set_aside_jobs', 1)).toEqual(kept);
    expect(await kindsIn('jobs', 2)).toEqual(KINDS.toSorted());
    expect(await kindsIn('set_aside_jobs', 2)).toEqual(KINDS.toSorted());
  });

  test.each(['inbound_events', 'syncs', 'deliveries'] as const)(
    'an erasure in %s names the jobs that the table says',
    async (table) => {
      const { rows } = await db.query<{ kind: string }>(
        `select kind from jobs where (kind, ref) in (${erasedJobsSql(table)}) order by kind`,
        [[1]],
      );
      const expected = KINDS.filter((kind) => rulesOf(kind).erasedWith === table).toSorted();
      expect(rows.map(({ kind }) => kind)).toEqual(expected);
    },
  );

  test.each(LOG_TABLES)(
    'a job keeps the month of the row of %s that it needs; one that was set aside keeps none',
    async (log) => {
      const waiting = await db.query<{ kind: JobKind; ref: string }>('delete from jobs returning kind, ref');
      const isNeeded = async () => {
        for (const jobs of jobsNeeding(log)) {
          if ((await db.query(`select from ${jobs} limit 1`, [NOW])).rowCount > 0) return true;
        }
        return false;
      };
      expect(await isNeeded()).toBe(false);
      expect(waiting.rowCount).toBe(KINDS.length * ACCOUNTS.length);
      for (const kind of KINDS) {
        await enqueue(db, jobOf(kind, 1));
        const { logs }: { logs: Readonly<Record<string, string>> } = JOB_SUBJECTS[rulesOf(kind).subject];
        expect([kind, await isNeeded()]).toEqual([kind, logs[log] !== undefined]);
        await db.query('delete from jobs');
      }
    },
  );
});

test('each kind has a handler, one pool and at most one serial group', () => {
  expect(Object.keys(JOB_HANDLERS).toSorted(), 'JOB_HANDLERS of server/src/main/job-handlers.ts').toEqual(
    KINDS.toSorted(),
  );
  for (const kind of KINDS) {
    const pools = workerPools(16).filter(({ kinds }) => kinds.has(kind));
    expect([kind, pools.length], 'workerPools of server/src/main/job-handlers.ts').toEqual([
      kind,
      rulesOf(kind).pool === 'main' ? 0 : 1,
    ]);
    expect(listSerialKinds().filter((group) => group.includes(kind)).length).toBe(
      rulesOf(kind).serialGroup === null ? 0 : 1,
    );
  }
});

test('kinds that write to the CRM of a connection exclude each other', () => {
  expect(listSerialKinds()).toContainEqual(['write-crm', 'retry-sync', 'probe-crm']);
});

test('the handler of each kind is in a file with the name of the kind', () => {
  const engine = new URL('../../../engine/src/', import.meta.url);
  const files = ['pipeline', 'webhooks', 'blocklists', 'wiring', 'alerts', 'backfill'].flatMap((folder) =>
    readdirSync(new URL(folder, engine)),
  );
  const missing = KINDS.filter((kind) => !files.includes(`${kind}.ts`));
  expect(missing, 'engine/src/{pipeline,webhooks,blocklists,wiring,alerts,backfill} lack the file of a kind').toEqual(
    [],
  );
});
