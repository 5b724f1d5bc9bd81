import type { Blocklist } from '@svc/sdk';
import { RESYNC_OUTCOMES, type ResyncOutcome, type ResyncState } from './resync.ts';
import { BLOCKLIST_FIELDS } from '@svc/contract/fields';
import { type ErrorSummary, ERROR_SUMMARY_FIELDS, summarizeError } from '../../command/map-error.ts';

/** What `blocklists resync --json` prints. */
export interface ResyncResult {
  /** As the process ends with. */
  readonly exitCode: number;
  /** Lists by outcome; all outcomes are there. */
  readonly counts: Readonly<Record<ResyncOutcome, number>>;
  /** In the order they were named; with `--all`, by id. */
  readonly lists: readonly {
    readonly id: number;
    readonly outcome: ResyncOutcome;
    /** As it was seen last, in the API's form; null for an id that the key does not reach. */
    readonly blocklist: Blocklist | null;
    /** Of `refused` and `in-progress`, in the form of this program's errors; null for all others. */
    readonly error: ErrorSummary | null;
  }[];
}

export const RESYNC_RESULT_FIELDS: readonly string[] = [
  'exitCode',
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

export function toResyncResult(states: readonly ResyncState[], exitCode: number): ResyncResult {
  const outcomes = states.map(({ outcome }) => outcome);
  const count = (wanted: ResyncOutcome) => outcomes.filter((outcome) => outcome === wanted).length;
  return {
    exitCode,
    counts: {
      queued: count('queued'),
      synced: count('synced'),
      failed: count('failed'),
      paused: count('paused'),
      timeout: count('timeout'),
      'in-progress': count('in-progress'),
      'left-paused': count('left-paused'),
      refused: count('refused'),
    },
    lists: states.map(({ id, outcome, blocklist, error }) => ({
      id,
      // All have ended.
      outcome: outcome ?? 'refused',
      blocklist,
      error: error && summarizeError(error),
    })),
  };
}
