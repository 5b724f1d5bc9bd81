/**
 * The cooldown of a connection whose CRM said when to come back (its daily limit, a long `Retry-After`).
 *
 * One refused call starts the cooldown: until it ends, the connection's jobs are deferred without a call. Then one job
 * calls as the probe, and the others wait for its result: another cooldown, or none. After `PROBE_MS` another job may
 * probe, in case the worker died. Waiting jobs come due spread over a time, not all at once.
 */
import type { CrmListPage, CrmOutcome, CrmOwner } from '@svc/crm';
import type { Context } from '../context.ts';
import { endCrmProbe, startCrmCooldown, claimCrmProbe } from '../store/connections.ts';
import type { Db } from '../store/database/db.ts';

/**
 * How long a claimed probe blocks the other jobs. Longer than the slowest probe, which is one event or one part of a
 * list with timeouts.
 */
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
  /** No call before `until`; defer the job to `dueAt`, which is later and differs from job to job. */
  | { mayCall: false; until: Date; dueAt: Date }
  /** `probeUntil`: the end of the claimed probe; null when no cooldown was active. */
  | { mayCall: true; probeUntil: Date | null };

/** Returns whether a job may call now. After a cooldown the permission is for one job, the probe. */
export async function acquireCrmProbe(ctx: Context, connection: CoolingConnection): Promise<CrmPermission> {
  const { id, crmCooldownUntil } = connection;
  if (crmCooldownUntil === null) return { mayCall: true, probeUntil: null };
  const now = ctx.clock.now();
  if (crmCooldownUntil > now) return refuse(ctx, crmCooldownUntil);
  const probeUntil = new Date(now.getTime() + PROBE_MS);
  if (await claimCrmProbe(ctx.db, id, { now, until: probeUntil })) return { mayCall: true, probeUntil };
  return refuse(ctx, probeUntil);
}

function refuse(ctx: Context, until: Date): CrmPermission {
  return { mayCall: false, until, dueAt: spreadAfter(ctx, until) };
}

/** Stores what the CRM's answer says about other calls of the connection. */
export async function applyCrmAnswer(
  db: Db,
  connectionId: number,
  probeUntil: Date | null,
  answer: CrmOutcome | CrmListPage | CrmOwner,
): Promise<void> {
  const cooldownUntilMs = answer.status === 'error' ? answer.cooldownUntilMs : undefined;
  if (cooldownUntilMs !== undefined) await startCrmCooldown(db, connectionId, new Date(cooldownUntilMs));
  else if (probeUntil !== null) await endCrmProbe(db, connectionId, probeUntil);
}

/** Returns a random time after `end`. The job that started the cooldown is due exactly at its end; all others later. */
export function spreadAfter(ctx: Context, end: Date): Date {
  const spreadMs = Math.min(SPREAD_MAX_MS, (end.getTime() - ctx.clock.now().getTime()) * SPREAD_SHARE);
  const fraction = Buffer.from(ctx.randomBytes(4)).readUInt32BE(0) / 2 ** 32;
  return new Date(end.getTime() + 1 + Math.floor(fraction * spreadMs));
}
