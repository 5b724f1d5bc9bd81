import { SYNC_RESOURCE_FIELDS } from '@svc/contract/fields';
import type { Client, Sync } from '@svc/sdk';
import { exitCodeOfBatch } from '../../command/batch-exit-code.ts';
import { type BatchItem, runBatch } from '../../command/batch.ts';
import { type ErrorSummary, ERROR_SUMMARY_FIELDS, summarizeError, toErrorReport } from '../../command/map-error.ts';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES, type ExitCode } from '../../errors/exit-codes.ts';
import { formatValue } from '../../format/record.ts';
import type { Cell, Column } from '../../terminal/table.ts';
import { errorMessage, SYNC_TONES } from '../logs/syncs.ts';
import { toEventKey } from '@svc/domain/values/event-key';

/** A sync whose retry is queued, and the sync that the retry became; null until there is one. */
interface Retry {
  readonly sync: Sync;
  readonly became: Sync | null;
}

export type RetriedSync = BatchItem<number, Retry>;

export interface RetryWait {
  readonly timeoutMs: number;
  readonly pollMs: number;
  /** Called with the number of syncs that have a result, and of all. */
  readonly onProgress: (done: number, total: number) => void;
  /** Called after a poll that failed temporarily. */
  readonly onTrouble: (message: string) => void;
}

/**
 * Retries syncs one after another, then follows the log until each retry has become a sync or the time is over.
 *
 * @throws 401, and any error of the first poll, also the timeout (exit 11); later only errors that are not temporary
 */
export async function retryAndWait(
  client: Client,
  ids: readonly number[],
  { timeoutMs, pollMs, onProgress, onTrouble }: RetryWait,
): Promise<RetriedSync[]> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  try {
    const firstPoll = Promise.withResolvers<void>();
    const log = client.syncs.tail(
      {
        intervalMs: pollMs,
        onLook: () => firstPoll.resolve(),
        onTrouble: (error) => onTrouble(toErrorReport(error).message),
      },
      { signal: stop.signal },
    );
    // The log is read before the first retry, so that it yields only what comes after.
    let next = log.next();
    next.catch(() => {});
    await Promise.race([firstPoll.promise, next]).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
      throw new CliError('timeout', EXIT_CODES.waitTimedOut, 'The timeout was reached before a retry was queued');
    });
    const items: RetriedSync[] = await runBatch(ids, async (id) => {
      const sync = await client.syncs.get(id);
      await client.syncs.retry(id);
      return { sync, became: null };
    });
    for (;;) {
      const pending = items.filter(({ result }) => result !== null && result.became === null);
      onProgress(items.length - pending.length, items.length);
      if (pending.length === 0) return items;
      const found = await next.catch((error: unknown) => {
        if (stop.signal.aborted) return null;
        throw error;
      });
      if (found === null || found.done === true) return items;
      const item = pending.find(({ result }) => result !== null && toEventKey(found.value) === toEventKey(result.sync));
      if (item !== undefined && item.result !== null)
        items[items.indexOf(item)] = { ...item, result: { ...item.result, became: found.value } };
      next = log.next();
      next.catch(() => {});
    }
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

/** `refused`: the service did not accept the retry; `timeout`: it has not become a sync yet; else the status of the new sync. */
type RetryOutcome = 'refused' | 'timeout' | Sync['status'];

function outcomeOf({ result }: RetriedSync): RetryOutcome {
  return result === null ? 'refused' : (result.became?.status ?? 'timeout');
}

export function exitCodeOfRetries(items: readonly RetriedSync[]): ExitCode {
  return exitCodeOfBatch(
    items.map((item) => {
      const outcome = outcomeOf(item);
      if (outcome === 'refused') return item.error?.exitCode ?? EXIT_CODES.unexpected;
      if (outcome === 'timeout') return EXIT_CODES.waitTimedOut;
      return outcome === 'error' ? EXIT_CODES.negative : EXIT_CODES.ok;
    }),
  );
}

/** The output of `syncs retry ID... --wait --json`. */
export interface RetriesResult {
  readonly exitCode: number;
  /** In the order of the arguments. */
  readonly syncs: readonly {
    readonly id: number;
    readonly outcome: RetryOutcome;
    /** The sync that the retry became, or null. */
    readonly sync: Sync | null;
    readonly error: ErrorSummary | null;
  }[];
}

export const RETRIES_FIELDS: readonly string[] = [
  'exitCode',
  'syncs',
  'syncs.id',
  'syncs.outcome',
  'syncs.sync',
  ...SYNC_RESOURCE_FIELDS.map((field) => `syncs.sync.${field}`),
  'syncs.error',
  ...ERROR_SUMMARY_FIELDS.map((field) => `syncs.error.${field}`),
];

export function toRetriesResult(items: readonly RetriedSync[], exitCode: number): RetriesResult {
  return {
    exitCode,
    syncs: items.map((item) => ({
      id: item.id,
      outcome: outcomeOf(item),
      sync: item.result?.became ?? null,
      error: item.error && summarizeError(item.error),
    })),
  };
}

export const RETRIES_COLUMNS: readonly Column<RetriedSync>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'RETRY', cell: resultCell },
  { header: 'NEW SYNC', cell: ({ result }) => ({ text: formatValue(result?.became?.id) }) },
  { header: 'EVENT', cell: ({ result }) => ({ text: formatValue(result?.sync.eventType) }), dropOrder: 1 },
  { header: 'RECIPIENT', cell: ({ result }) => ({ text: formatValue(result?.sync.toEmail) }), canShrink: true },
  {
    header: 'WHY',
    cell: ({ result, error }) => ({ text: error?.message ?? errorMessage(result?.became?.error ?? null) }),
    canShrink: true,
  },
];

function resultCell(item: RetriedSync): Cell {
  const outcome = outcomeOf(item);
  if (outcome === 'refused') return { text: outcome, tone: 'bad' };
  return outcome === 'timeout' ? { text: 'still queued', tone: 'warn' } : { text: outcome, tone: SYNC_TONES[outcome] };
}
