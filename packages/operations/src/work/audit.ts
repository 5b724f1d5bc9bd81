/** Records who changed what: every call except reads leaves one entry in the audit log. */
import * as z from 'zod';
import * as store from '../store/audit-log.ts';
import { AdminError } from './admin-error.ts';
import { parseOperatorInstant } from './instants.ts';
import { type AdminContext, type AdminOperation, adminOperation } from './operation.ts';

const LIMIT_MAX = 10_000;

export interface AuditEntry {
  id: number;
  at: string;
  /** The user who ran the command; `socket` when it reached a running server, which only that server's user can do. */
  actor: string;
  /** For example `keys/create`. */
  operation: string;
  /** Without secrets; null when the input was invalid. */
  input: object | null;
  /** `done`, or the code of the refusal; null when the call was interrupted or is still running. */
  outcome: string | null;
}

const auditFilter = z.strictObject({
  /** An age such as `7d`, or a time (`parseOperatorInstant`). Default: all entries. */
  since: z.string('must be text').optional(),
  limit: z.int('must be a whole number').min(1).max(LIMIT_MAX).default(100),
});

/** Returns the newest entries, newest first. */
export const listAudit = adminOperation(auditFilter, async (ctx, { since, limit }) => {
  const from =
    since === undefined ? null : parseOperatorInstant('since', since, { now: ctx.clock.now(), ages: 'past' });
  const rows = await store.listAuditEntries(ctx.db, { from, limit });
  return { entries: rows.map((row): AuditEntry => ({ ...row, at: row.at.toISOString() })) };
});

/** Runs the operation between the start and the end of its entry, so that interrupted ones are visible. */
export async function runAudited(
  ctx: AdminContext,
  { name, actor, input }: { name: string; actor: string; input: unknown },
  operation: AdminOperation<unknown, object>,
): Promise<object> {
  const entry = { at: ctx.clock.now(), actor, operation: name, input: operation.withoutSecrets(input) };
  const id = await store.insertAuditEntry(ctx.db, entry);
  // A failure to record the outcome must not hide the result; the entry then looks interrupted.
  const end = (outcome: string) => store.setAuditOutcome(ctx.db, id, outcome).catch(() => {});
  try {
    const result = await operation(ctx, input);
    await end('done');
    return result;
  } catch (error) {
    await end(error instanceof AdminError ? error.code : 'unexpected');
    throw error;
  }
}
