import { ConflictError, NotFoundError, RateLimitError } from '@svc/sdk';
import * as z from 'zod';
import { ToolError } from '../answers/errors.ts';
import { idSchema, resolveRange, type ToolCall } from './tool.ts';
import { defineWriteTool } from './write-tool.ts';

/** Syncs of one plan: a minute and a half of the API's limit. */
const PLAN_SYNCS_MAX = 100;

export const retryTool = defineWriteTool({
  name: 'svc_retry_sync',
  title: 'Retry failed syncs',
  description:
    'Retries a failed sync: ids with one id. Several ids, or since (with until, sourceId, connectionId) for the failed syncs of a range, first return a plan.',
  input: {
    ids: z.array(idSchema).min(1).max(50).optional(),
    since: z.string().max(40).optional(),
    until: z.string().max(40).optional(),
    sourceId: idSchema.optional(),
    connectionId: idSchema.optional(),
  },
  isDestructive: false,
  isIdempotent: false,
  async prepare({ ids, ...range }, call) {
    if ((ids === undefined) === (range.since === undefined)) throw new ToolError('Pass ids or since, one of them.');
    if (ids !== undefined) {
      if (Object.values(range).some((value) => value !== undefined)) throw new ToolError('Pass ids alone.');
      return intentOf([...new Set(ids)], 0);
    }
    const { queued, skipped } = await findRetries(range, call);
    if (queued.length === 0) {
      throw new ToolError(
        `Nothing to retry: of the failed syncs of this range, ${skipped} were written since or cannot be retried.`,
      );
    }
    return intentOf(queued.slice(0, PLAN_SYNCS_MAX), queued.length);
  },
  perform: retryEach,
});

function intentOf(ids: readonly number[], found: number) {
  const more = found > ids.length ? ` of ${found}, the newest; make another plan for the others` : '';
  const some = ids.length <= 10 ? ` (${ids.join(', ')})` : '';
  return {
    what: `retry ${ids.length} syncs${some}${more}`,
    shown: { ids: ids.join(', ') },
    target: ids,
    needsPlan: found > 0 || ids.length > 1,
  };
}

interface RangeOfSyncs {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly sourceId?: number | undefined;
  readonly connectionId?: number | undefined;
}

async function findRetries(
  { since, until, sourceId, connectionId }: RangeOfSyncs,
  { client, now, options }: ToolCall,
): Promise<{ readonly queued: readonly number[]; readonly skipped: number }> {
  const range = resolveRange({ since, until }, now());
  const { queued, skipped } = await client.syncs.retryAll({ ...range, sourceId, connectionId, dryRun: true }, options);
  return { queued, skipped: skipped.length };
}

/** Retries each sync once. What the API refuses is named; its rate limit ends the work. */
async function retryEach(ids: readonly number[], { client, options }: ToolCall) {
  const queued: number[] = [];
  const refused: { readonly id: number; readonly message: string }[] = [];
  let wait = '';
  for (const id of ids) {
    try {
      await client.syncs.retry(id, options);
      queued.push(id);
    } catch (error) {
      if (error instanceof ConflictError || error instanceof NotFoundError) {
        refused.push({ id, message: error.message });
        continue;
      }
      if (!(error instanceof RateLimitError) || queued.length === 0) throw error;
      wait = ` The rate limit is reached; wait ${error.retryAfterSeconds ?? 60} s before the others.`;
      break;
    }
  }
  const left = ids.filter((id) => !queued.includes(id) && refused.every((each) => each.id !== id));
  return {
    source: 'retries',
    summary: `Queued: ${queued.length}. Refused: ${refused.length}. Not tried: ${left.length}.${wait} A retry adds a new sync with its result.`,
    record: { queued: queued.join(', '), refused, notTried: left.join(', ') },
  };
}
