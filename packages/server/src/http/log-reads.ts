/** Reads of logs from a standby (`store/database/replicas.ts`), and what makes a key see its own writes there. */
import { ApiError } from '@svc/domain/errors/errors';
import type { Context } from '@svc/engine/context';
import { type AuthenticatedKey, noteLastWrite } from '@svc/engine/store/api-keys';
import type { ApiAnswer } from './answer.ts';

/**
 * Reads from a standby if one may answer. When that fails in any way, the primary's answer counts: the statement may have been canceled by the
 * recovery, the standby may be gone, or a row may not be there yet.
 */
export async function readLogs(
  ctx: Context,
  { lastWriteLsn }: AuthenticatedKey,
  read: (from: Context) => Promise<ApiAnswer> | ApiAnswer,
): Promise<ApiAnswer> {
  if (ctx.replicas === null) return read(ctx);
  const { replicaReads } = ctx.metrics;
  const choice = ctx.replicas.choose(lastWriteLsn);
  if (choice.db === null) {
    replicaReads.inc({ result: choice.reason });
    return read(ctx);
  }
  try {
    const answer = await read({ ...ctx, db: choice.db });
    replicaReads.inc({ result: 'replica' });
    return answer;
  } catch (error) {
    // A wrong parameter is wrong everywhere.
    if (error instanceof ApiError && error.statusCode === 400) throw error;
    replicaReads.inc({ result: 'repeated' });
    ctx.log.debug({ err: error }, 'a read of a standby failed, so the primary is asked');
    return read(ctx);
  }
}

/** Makes later reads of the key, in every process, wait for a standby that has its write. */
export async function noteWrite({ replicas, db, log }: Context, keyId: number): Promise<void> {
  if (replicas === null) return;
  // The write is done, so the caller must not be told otherwise.
  await noteLastWrite(db, keyId).catch((error: unknown) =>
    log.warn({ err: error }, 'a write of an API key could not be noted: its reads may not show it for two seconds'),
  );
}
