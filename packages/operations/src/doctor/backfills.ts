import { listStoppedBackfills } from '@svc/engine/store/backfill-runs';
import type { AdminContext } from '../implemented/operation.ts';
import { type Check, warn } from './check.ts';

/** Later, nobody waits for what it did not read. */
const SHOWN_MS = 7 * 24 * 60 * 60_000;

/** Returns one line for each source whose last backfill ended before it had read everything. */
export async function checkBackfills(ctx: AdminContext): Promise<Check[]> {
  const stopped = await listStoppedBackfills(ctx.db, new Date(ctx.clock.now().getTime() - SHOWN_MS));
  return stopped.map(({ runId, sourceId, platform, stopReason }) =>
    warn(
      'backfills',
      `backfill ${runId} of source ${sourceId} (${platform}) was stopped: ${stopReason}`,
      `Mend that, then run svc-server sources backfill ${sourceId} again with the same --since: what was read before is not repeated.`,
    ),
  );
}
