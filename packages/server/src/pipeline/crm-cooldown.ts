/**
 * The cooldown of a connection whose CRM said when to come back (its daily limit, a long `Retry-After`).
 *
 * One refused call starts the cooldown: until it ends, the connection's jobs are deferred without a call. Then one job
 * calls as the probe, and the others wait for its result: another cooldown, or none. After `PROBE_MS` another job may
 * probe, in case the worker died. Waiting jobs come due spread over a time, not all at once.
 */
import type { CrmListPage, CrmOutcome } from '@svc/crm';
import type { Context } from '../context.ts';
import { endCrmProbe, startCrmCooldown, claimCrmProbe } from '../store/connections.ts';
import type { Db } from '../store/database/db.ts';

/** Time limit of one probe: longer than an event, or a slice of a list, in which all calls but one time out. */
const PROBE_MS = 2 * 60 * 1000;
/** The share of the wait over which waiting jobs are spread afterwards. */
const SPREAD_SHARE = 1 / 4;
const SPREAD_MAX_MS = 60 * 60 * 1000;

interface CoolingConnection {
  id: number;
  /** Null without a cooldown. */
  crmCooldownUntil: Date | null;
}

/** Whether a job may call the CRM. */
export type CrmPermission =
  /** No call now; defer the job until then. */
  | { mayCall: false; dueAt: Date }
  /** `probe` is set while the other jobs wait for this call's result. */
  | { mayCall: true; probe: Date | null };

/** Asks before a job's first call whether it may be made. */
export async function acquireCrmProbe(ctx: Context, connection: CoolingConnection): Promise<CrmPermission> {
  const { id, crmCooldownUntil } = connection;
  if (crmCooldownUntil === null) return { mayCall: true, probe: null };
  const now = ctx.clock.now();
  if (crmCooldownUntil > now) return { mayCall: false, dueAt: spread(ctx, crmCooldownUntil) };
  const probe = new Date(now.getTime() + PROBE_MS);
  if (await claimCrmProbe(ctx.db, id, { now, until: probe })) return { mayCall: true, probe };
  return { mayCall: false, dueAt: spread(ctx, probe) };
}

/** Stores what the CRM's answer says about other calls of the connection. */
export async function applyCrmAnswer(
  db: Db,
  connectionId: number,
  probe: Date | null,
  answer: CrmOutcome | CrmListPage,
): Promise<void> {
  const cooldownUntilMs = answer.status === 'error' ? answer.cooldownUntilMs : undefined;
  if (cooldownUntilMs !== undefined) await startCrmCooldown(db, connectionId, new Date(cooldownUntilMs));
  else if (probe !== null) await endCrmProbe(db, connectionId, probe);
}

/** Returns an instant after the end of the wait. The end itself is for the job that the CRM answered. */
function spread(ctx: Context, end: Date): Date {
  const spreadMs = Math.min(SPREAD_MAX_MS, (end.getTime() - ctx.clock.now().getTime()) * SPREAD_SHARE);
  const fraction = Buffer.from(ctx.randomBytes(4)).readUInt32BE(0) / 2 ** 32;
  return new Date(end.getTime() + 1 + Math.floor(fraction * spreadMs));
}
