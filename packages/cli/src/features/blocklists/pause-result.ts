import type { PauseOutcome } from './pause.ts';
import type { Column } from '../../terminal/table.ts';
import { type ErrorSummary, ERROR_SUMMARY_FIELDS, summarizeError } from '../../command/map-error.ts';

/** What `blocklists pause --json` prints. */
export interface PauseResult {
  /** As the process ends with. */
  readonly exitCode: number;
  /** In the order they were named; with `--all`, by id. */
  readonly lists: readonly {
    readonly id: number;
    readonly outcome: 'paused' | 'refused';
    /** Where its pipeline stands still; null when it was refused. */
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
