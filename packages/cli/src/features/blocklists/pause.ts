import type { Blocklist, Client } from '@svc/sdk';
import {
  type ErrorReport,
  toErrorReport,
  type ErrorSummary,
  ERROR_SUMMARY_FIELDS,
  summarizeError,
} from '../../command/map-error.ts';
import { EXIT_CODES, type ExitCode } from '../../errors/exit-codes.ts';
import { exitCodeOfBatch } from '../../command/batch-exit-code.ts';
import type { Column } from '../../terminal/table.ts';

export interface PauseOutcome {
  readonly id: number;
  /** Null for an id that the key cannot access. */
  readonly blocklist: Blocklist | null;
  /** The status at which the list was paused; null if it was refused. */
  readonly status: string | null;
  readonly error: ErrorReport | null;
  /** The error that was thrown. */
  readonly cause: unknown;
}

/** Pauses lists one after another, continuing after refusals. Pausing a paused list succeeds. */
export async function pauseBlocklists(
  client: Client,
  lists: readonly { readonly id: number; readonly blocklist: Blocklist | null }[],
): Promise<PauseOutcome[]> {
  const outcomes: PauseOutcome[] = [];
  for (const { id, blocklist } of lists) {
    try {
      const { status } = await client.blocklists.pause(id);
      outcomes.push({ id, blocklist, status, error: null, cause: null });
    } catch (cause) {
      const error = toErrorReport(cause);
      if (error.status === 401) throw cause;
      outcomes.push({ id, blocklist, status: null, error, cause });
    }
  }
  return outcomes;
}

export function exitCodeOfPause(outcomes: readonly PauseOutcome[]): ExitCode {
  return exitCodeOfBatch(outcomes.map(({ error }) => error?.exitCode ?? EXIT_CODES.ok));
}

/** The output of `blocklists pause --json`. */
export interface PauseResult {
  readonly exitCode: number;
  /** In the order of the arguments; with `--all`, by id. */
  readonly lists: readonly {
    readonly id: number;
    readonly outcome: 'paused' | 'refused';
    /** The status at which the list was paused; null if it was refused. */
    readonly status: string | null;
    readonly error: ErrorSummary | null;
  }[];
}

export const PAUSE_RESULT_FIELDS: readonly string[] = [
  'exitCode',
  'lists',
  'lists.id',
  'lists.outcome',
  'lists.status',
  'lists.error',
  ...ERROR_SUMMARY_FIELDS.map((field) => `lists.error.${field}`),
];

export function toPauseResult(outcomes: readonly PauseOutcome[], exitCode: number): PauseResult {
  return {
    exitCode,
    lists: outcomes.map(({ id, status, error }) => ({
      id,
      outcome: error === null ? 'paused' : 'refused',
      status,
      error: error && summarizeError(error),
    })),
  };
}

export const PAUSE_COLUMNS: readonly Column<PauseOutcome>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'LIST', cell: ({ blocklist }) => ({ text: blocklist?.listName ?? '' }), canShrink: true },
  {
    header: 'PAUSE',
    cell: ({ error }) => (error === null ? { text: 'paused', tone: 'good' } : { text: 'refused', tone: 'bad' }),
  },
  { header: 'WHY', cell: ({ error }) => ({ text: error?.message ?? '' }), canShrink: true },
];
