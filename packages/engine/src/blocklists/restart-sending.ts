/** What waits for the sequencer of a list is tried again at once, because somebody has changed what the list is sent with. */
import { topUpBlocklistJob, removeEntriesJob } from './blocklist-jobs.ts';
import { pushSuppressionsJob } from '../pipeline/suppress-contacts.ts';
import { bringForward, enqueue, type NewJob } from '../queue/queue.ts';
import { hasWaitingRemovals } from '../store/blocklist-removals.ts';
import { lockBlocklistOfJob } from '../store/blocklists.ts';
import type { Db } from '../store/database/db.ts';
import { clearSuppressionRefusals, hasWaitingSuppressions } from '../store/suppressions.ts';

/** Refused contacts of events are tried again too. A list whose last round failed begins the next one. */
export async function restartSending(tx: Db, listId: number, now: Date): Promise<void> {
  const found = await lockBlocklistOfJob(tx, listId);
  if (found === null) return;
  const { connection, state } = found;
  const list = { id: listId, connectionId: connection.id, run: state.run };
  await clearSuppressionRefusals(tx, listId);
  if (await hasWaitingSuppressions(tx, listId)) await runNow(tx, pushSuppressionsJob(list, now));
  if (await hasWaitingRemovals(tx, listId)) await runNow(tx, removeEntriesJob(list, now));
  if (state.lastError !== null) await bringForward(tx, topUpBlocklistJob(list, { createdAt: now, dueAt: now }));
}

async function runNow(tx: Db, job: NewJob): Promise<void> {
  await enqueue(tx, job);
  await bringForward(tx, job);
}
