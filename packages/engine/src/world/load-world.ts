/** Replaces the database's content by a world: for the demo, for `--world`, and for tests. */
import { nextWorkAfterLoad } from '@svc/domain/blocklists/blocklist-schedule';
import type { MaterializedWorld } from '@svc/domain/world';
import { fetchBlocklistJob, pushBlocklistJob, topUpBlocklistJob } from '../blocklists/blocklist-jobs.ts';
import { deliverWebhookJob } from '../webhooks/deliver-webhook.ts';
import { enqueue, type NewJob } from '../queue/queue.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Database, Db } from '../store/database/db.ts';
import {
  advanceIdSequence,
  deleteEverything,
  hasOwnAccounts,
  insertRows,
  markAsWorld,
  takeServerLock,
} from './load-world.sql.ts';
import { rowsOfWorld, WORLD_TABLES } from './world-rows.ts';

/** The database contains data that a world may not replace; the message says which and what to do. */
export class NotReplaceableError extends Error {
  override readonly name = 'NotReplaceableError';
}

/**
 * Replaces all content by the world's in one transaction.
 *
 * @throws NotReplaceableError when a server runs on the database, or it contains anything but an earlier world
 */
export async function loadWorld(
  deps: { db: Database; secrets: SecretBox; now: Date },
  world: MaterializedWorld,
): Promise<void> {
  const rows = rowsOfWorld(world, deps.secrets);
  await deps.db.transaction(async (tx) => {
    await assertNoServerRuns(tx);
    await assertReplaceable(tx);
    await deleteEverything(tx);
    for (const table of WORLD_TABLES) {
      await insertRows(tx, table, rows[table]);
      await advanceIdSequence(tx, table);
    }
    await enqueueJobs(tx, world, deps.now);
    await markAsWorld(tx, world.name);
  });
}

/** The lock of the folder protects the embedded database; on PostgreSQL a running server would lose its rows. */
async function assertNoServerRuns(tx: Db): Promise<void> {
  if (!(await takeServerLock(tx))) {
    throw new NotReplaceableError(
      'A svc-server is running on this database, and loading a world would delete its data: stop it first, or use another database.',
    );
  }
}

async function assertReplaceable(tx: Db): Promise<void> {
  if (await hasOwnAccounts(tx)) {
    throw new NotReplaceableError(
      'The database contains your own accounts, and loading a world would delete them: use an empty database or another data directory.',
    );
  }
}

/** Enqueues the jobs of a service with these rows: those of block lists, and pending webhook deliveries. */
async function enqueueJobs(tx: Db, world: MaterializedWorld, now: Date): Promise<void> {
  const blocklists = world.blocklists.flatMap((blocklist) => jobsOfBlocklist(blocklist, now));
  const accounts = new Map(world.webhooks.map(({ id, accountId }) => [id, accountId]));
  const attempts = world.webhookDeliveries.flatMap(({ id, webhookId, nextAttemptAt }) => {
    const accountId = accounts.get(webhookId);
    return nextAttemptAt === null || accountId === undefined
      ? []
      : [{ ...deliverWebhookJob({ id, accountId, webhookId }, now), dueAt: nextAttemptAt }];
  });
  await enqueue(tx, ...blocklists, ...attempts);
}

function jobsOfBlocklist(blocklist: MaterializedWorld['blocklists'][number], now: Date): NewJob[] {
  const { id, connectionId } = blocklist;
  const list = { id, connectionId, run: 0 };
  const work = nextWorkAfterLoad(blocklist, now);
  switch (work?.kind) {
    case undefined:
      return [];
    case 'fetch':
      return [{ ...fetchBlocklistJob(list, work.mode, now), dueAt: work.dueAt }];
    case 'push':
      return [{ ...pushBlocklistJob(list, now), dueAt: work.dueAt }];
    case 'top-up':
      return [topUpBlocklistJob(list, { createdAt: now, dueAt: work.dueAt })];
  }
}
