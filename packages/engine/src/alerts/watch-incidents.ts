/**
 * Looks for incidents that begin or end, in one process at a time. Incidents, messages and the jobs that send them are stored in one
 * transaction, so a process that dies has stored all of them or none, and then the next process does.
 */
import { planIncidents } from '@svc/domain/alerts/incident-plan';
import type { Context } from '../context.ts';
import { enqueue } from '../queue/queue.ts';
import { type Repeated, repeat } from '../runtime/repeat.ts';
import { listAlertConditions } from '../store/alert-conditions.ts';
import {
  beginIncidents,
  endIncidents,
  hasAlertChannels,
  listOpenIncidents,
  setCleared,
  takeWatchLock,
} from '../store/alert-incidents.ts';
import { alertJob } from './alert-messages.ts';

const EVERY_MS = 60_000;

export type WatchContext = Pick<Context, 'db' | 'clock' | 'log'> & Partial<Pick<Context, 'wakeWorkers'>>;

/** Looks once a minute while there are channels. */
export function startIncidentWatch(ctx: WatchContext): Repeated {
  return repeat(ctx.clock, { firstMs: EVERY_MS, everyMs: EVERY_MS }, () =>
    hasAlertChannels(ctx.db)
      .then((isUsed) => (isUsed ? watchIncidents(ctx) : undefined))
      .catch((error: unknown) => ctx.log.warn({ err: error }, 'incidents could not be looked for')),
  );
}

/** Looks now. Does nothing while another process looks. */
export async function watchIncidents(ctx: WatchContext): Promise<void> {
  const now = ctx.clock.now();
  const messages = await ctx.db.transaction(
    async (tx) => {
      if (!(await takeWatchLock(tx))) return [];
      const plan = planIncidents(await listOpenIncidents(tx), await listAlertConditions(tx, now), now);
      await setCleared(tx, plan.cleared, now);
      await setCleared(tx, plan.returned, null);
      const begun = await beginIncidents(tx, plan.begun, { now, isMoment: false });
      const added = [...begun, ...(await endIncidents(tx, plan.ended, now))];
      if (added.length > 0) await enqueue(tx, ...added.map((message) => alertJob(message, now)));
      return added;
    },
    { isLong: true },
  );
  if (messages.length > 0) ctx.wakeWorkers?.();
}
