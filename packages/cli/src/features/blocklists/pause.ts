import { notFoundMessage } from '@svc/contract/error-messages';
import type { Blocklist, Client } from '@svc/sdk';
import { runBatch } from '../../command/batch.ts';
import { CliError } from '../../errors/cli-error.ts';
import {
  type ErrorReport,
  toErrorReport,
  type ErrorSummary,
  ERROR_SUMMARY_FIELDS,
  summarizeError,
} from '../../command/map-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import type { Cell, Column } from '../../terminal/table.ts';

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
  const items = await runBatch(
    lists.map(({ id }) => id),
    (id) => client.blocklists.pause(id),
  );
  return items.map(({ id, result, error, cause }) => {
    const blocklist = lists.find((list) => list.id === id)?.blocklist ?? null;
    return { id, blocklist, status: result?.status ?? null, error, cause };
  });
}

/** Predicts the outcomes without a write: every list that the key can access would be paused. */
export function predictPauses(
  lists: readonly { readonly id: number; readonly blocklist: Blocklist | null }[],
): PauseOutcome[] {
  return lists.map(({ id, blocklist }) => {
    if (blocklist !== null) return { id, blocklist, status: blocklist.status, error: null, cause: null };
    const cause = new CliError('not_found', EXIT_CODES.notFound, notFoundMessage('Blocklist', id));
    return { id, blocklist, status: null, error: toErrorReport(cause), cause };
  });
}

/** The output of `blocklists pause --json`. */
export interface PauseResult {
  readonly exitCode: number;
  /** Whether nothing was paused; `paused` then means that it would be. */
  readonly dryRun: boolean;
  /** In the order of the arguments; with `--all`, by id. */
  readonly lists: readonly {
    readonly id: number;
    readonly outcome: 'paused' | 'refused';
    /** The status at which the list was paused, in a dry run its present one; null if it was refused. */
    readonly status: string | null;
    readonly error: ErrorSummary | null;
  }[];
}

export const PAUSE_RESULT_FIELDS: readonly string[] = [
  'exitCode',
  'dryRun',
  'lists',
  'lists.id',
  'lists.outcome',
  'lists.status',
  'lists.error',
  ...ERROR_SUMMARY_FIELDS.map((field) => `lists.error.${field}`),
];

export function toPauseResult(
  outcomes: readonly PauseOutcome[],
  { exitCode, dryRun }: Pick<PauseResult, 'exitCode' | 'dryRun'>,
): PauseResult {
  return {
    exitCode,
    dryRun,
    lists: outcomes.map(({ id, status, error }) => ({
      id,
      outcome: error === null ? 'paused' : 'refused',
      status,
      error: error && summarizeError(error),
    })),
  };
}

/** @param dryRun nothing was paused: tell what would be */
export function pauseColumns(dryRun: boolean): readonly Column<PauseOutcome>[] {
  const done: Cell = { text: dryRun ? 'would be paused' : 'paused', tone: 'good' };
  const reasonOf = ({ error, blocklist }: PauseOutcome) =>
    error?.message ?? (dryRun && blocklist?.isEnabled === false ? 'already paused' : '');
  return [
    { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
    { header: 'LIST', cell: ({ blocklist }) => ({ text: blocklist?.listName ?? '' }), canShrink: true },
    { header: 'PAUSE', cell: ({ error }) => (error === null ? done : { text: 'refused', tone: 'bad' }) },
    { header: 'WHY', cell: (outcome) => ({ text: reasonOf(outcome) }), canShrink: true },
  ];
}
