import type { Blocklist } from '@svc/sdk';
import { RESYNC_OUTCOMES, type ResyncOutcome, type ResyncState } from './resync.ts';
import { BLOCKLIST_FIELDS } from '@svc/contract/fields';
import { type ErrorSummary, ERROR_SUMMARY_FIELDS, summarizeError } from '../../command/map-error.ts';

/** The output of `blocklists resync --json`. */
export interface ResyncResult {
  readonly exitCode: number;
  /** Whether nothing was resynced; `queued` then means that it would be. */
  readonly dryRun: boolean;
  /** Number of lists for every outcome. */
  readonly counts: Readonly<Record<ResyncOutcome, number>>;
  /** In the order of the arguments; with `--all`, by id. */
  readonly lists: readonly {
    readonly id: number;
    readonly outcome: ResyncOutcome;
    /** The last state from the API; null for an id that the key cannot access. */
    readonly blocklist: Blocklist | null;
    /** Why the service did not accept the resync, in the form of the CLI's errors; null when it was not asked or accepted it. */
    readonly error: ErrorSummary | null;
  }[];
}

export const RESYNC_RESULT_FIELDS: readonly string[] = [
  'exitCode',
  'dryRun',
  'counts',
  ...RESYNC_OUTCOMES.map((outcome) => `counts.${outcome}`),
  'lists',
  'lists.id',
  'lists.outcome',
  'lists.blocklist',
  ...BLOCKLIST_FIELDS.map((field) => `lists.blocklist.${field}`),
  'lists.error',
  ...ERROR_SUMMARY_FIELDS.map((field) => `lists.error.${field}`),
];

export function toResyncResult(
  states: readonly ResyncState[],
  { exitCode, dryRun }: Pick<ResyncResult, 'exitCode' | 'dryRun'>,
): ResyncResult {
  const outcomes = states.map(({ outcome }) => outcome);
  const count = (wanted: ResyncOutcome) => outcomes.filter((outcome) => outcome === wanted).length;
  return {
    exitCode,
    dryRun,
    counts: {
      queued: count('queued'),
      synced: count('synced'),
      failed: count('failed'),
      paused: count('paused'),
      timeout: count('timeout'),
      'in-progress': count('in-progress'),
      'left-paused': count('left-paused'),
      'no-crm-source': count('no-crm-source'),
      'not-enabled': count('not-enabled'),
      refused: count('refused'),
    },
    lists: states.map(({ id, outcome, blocklist, error }) => ({
      id,
      // Every resync has ended, so `outcome` is not null here.
      outcome: outcome ?? 'refused',
      blocklist,
      error: error && summarizeError(error),
    })),
  };
}
