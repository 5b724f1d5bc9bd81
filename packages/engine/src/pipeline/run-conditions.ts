/** When a run that reads many receipts of a source goes on, waits or stops: of stored ones again, or of past activity. */
import { countPendingWrites } from '../queue/waiting-writes.ts';
import type { Db } from '../store/database/db.ts';

/** While more events of the connection wait to be written, a run waits too: fresh events come behind them. */
const WAITING_WRITES_MAX = 500;
/** How long it waits then. */
export const BUSY_WAIT_MS = 2_000;

interface Run {
  connectionId: number;
  canSync: boolean;
  hasCrmToken: boolean;
  isForwarding: boolean;
  isDryRun: boolean;
}

/** Returns why a run cannot go on, or null. What was not written now would count as received before, and never be written. */
export function whyStopped({ canSync, hasCrmToken, isForwarding, isDryRun }: Run): string | null {
  if (isDryRun) return null;
  if (!canSync) return isForwarding ? null : 'Syncing is switched off on the connection.';
  return hasCrmToken ? null : 'The connection is disconnected from its CRM.';
}

export async function isConnectionBusy(db: Db, { connectionId, isDryRun }: Run): Promise<boolean> {
  return !isDryRun && (await countPendingWrites(db, connectionId, WAITING_WRITES_MAX)) >= WAITING_WRITES_MAX;
}

/** The run was stopped meanwhile: nothing of its transaction is kept. */
export class RunStoppedError extends Error {}
