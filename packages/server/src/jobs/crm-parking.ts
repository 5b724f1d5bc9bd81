/**
 * What the jobs of one connection do about a CRM that said when to come back (its daily limit, a long `Retry-After`).
 *
 * One refused call parks the connection: until then its jobs are deferred without a call. When the time has come, one job takes
 * the look, and the others go on waiting for what it finds: parked again, or free. A look whose worker dies is taken by another
 * after `LOOK_MS`. Jobs that wait come back spread over a time, so that they do not all come at once.
 */
import type { CrmListPage, CrmOutcome } from '@svc/crm';
import type { Context } from '../context.ts';
import { endCrmLook, parkCrm, takeCrmLook } from '../store/connections.ts';
import type { Db } from '../store/db.ts';

/** How long one look may take: longer than any event or turn of a list whose every call times out but one. */
const LOOK_MS = 2 * 60 * 1000;
/** Of the wait, what the jobs that come after it are spread over. */
const SPREAD_SHARE = 1 / 4;
const SPREAD_MAX_MS = 60 * 60 * 1000;

interface ParkedConnection {
  id: number;
  /** Null: not parked. */
  crmParkedUntil: Date | null;
}

/** A job's turn at the CRM. */
export type CrmTurn =
  /** No call now: the job is to come back then. */
  | { mayCall: false; dueAt: Date }
  /** `look` is set while the others wait for what this call finds. */
  | { mayCall: true; look: Date | null };

/** Asks, right before a job's first call, whether it may be made. */
export async function askForCrmTurn(ctx: Context, connection: ParkedConnection): Promise<CrmTurn> {
  const { id, crmParkedUntil } = connection;
  if (crmParkedUntil === null) return { mayCall: true, look: null };
  const now = ctx.clock.now();
  if (crmParkedUntil > now) return { mayCall: false, dueAt: spread(ctx, crmParkedUntil) };
  const look = new Date(now.getTime() + LOOK_MS);
  if (await takeCrmLook(ctx.db, id, { now, until: look })) return { mayCall: true, look };
  return { mayCall: false, dueAt: spread(ctx, look) };
}

/** Keeps what the CRM's answer says about other calls of the connection. */
export async function applyCrmAnswer(
  db: Db,
  connectionId: number,
  look: Date | null,
  answer: CrmOutcome | CrmListPage,
): Promise<void> {
  const parkUntilMs = answer.status === 'error' ? answer.parkUntilMs : undefined;
  if (parkUntilMs !== undefined) await parkCrm(db, connectionId, new Date(parkUntilMs));
  else if (look !== null) await endCrmLook(db, connectionId, look);
}

/** Never the end of the wait itself: it belongs to the job that the CRM answered. */
function spread(ctx: Context, end: Date): Date {
  const spreadMs = Math.min(SPREAD_MAX_MS, (end.getTime() - ctx.clock.now().getTime()) * SPREAD_SHARE);
  const fraction = Buffer.from(ctx.randomBytes(4)).readUInt32BE(0) / 2 ** 32;
  return new Date(end.getTime() + 1 + Math.floor(fraction * spreadMs));
}
