import { SYNC_RESOURCE_FIELDS } from '@svc/contract/fields';
import type { Sync } from '@svc/sdk';
import { exitCodeOfBatch } from '../../command/batch-exit-code.ts';
import type { BatchItem } from '../../command/batch.ts';
import { type ErrorSummary, ERROR_SUMMARY_FIELDS, summarizeError } from '../../command/map-error.ts';
import { EXIT_CODES, type ExitCode } from '../../errors/exit-codes.ts';
import { formatValue } from '../../format/record.ts';
import type { Cell, Column } from '../../terminal/table.ts';
import { errorMessage, SYNC_TONES } from '../logs/syncs.ts';
import type { FollowedRetry } from './follow-retries.ts';

export type RetriedSync = BatchItem<number, FollowedRetry>;

/** `timeout`: the retry has not become a sync yet; else the status of the new sync. */
export type FollowedOutcome = 'timeout' | Sync['status'];
/** `refused`: the service did not accept the retry. */
type RetryOutcome = 'refused' | FollowedOutcome;

export function followedOutcome({ became }: FollowedRetry): FollowedOutcome {
  return became?.status ?? 'timeout';
}

export function exitCodeOfFollowed(outcome: FollowedOutcome): ExitCode {
  if (outcome === 'timeout') return EXIT_CODES.waitTimedOut;
  return outcome === 'error' ? EXIT_CODES.negative : EXIT_CODES.ok;
}

function outcomeOf({ result }: RetriedSync): RetryOutcome {
  return result === null ? 'refused' : followedOutcome(result);
}

export function exitCodeOfRetries(items: readonly RetriedSync[]): ExitCode {
  return exitCodeOfBatch(
    items.map((item) => {
      const outcome = outcomeOf(item);
      return outcome === 'refused' ? (item.error?.exitCode ?? EXIT_CODES.unexpected) : exitCodeOfFollowed(outcome);
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
