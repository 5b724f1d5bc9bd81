import { SYNC_RESOURCE_FIELDS } from '@svc/contract/fields';
import { type Client, type RetryAllSummary, SvcError, type RetryQueued, type Sync } from '@svc/sdk';
import { FailureWithHint } from '../../errors/cli-error.ts';
import { EXIT_CODES, type ExitCode } from '../../errors/exit-codes.ts';
import { setInterruptHint } from '../../terminal/interrupts.ts';
import { formatCount, startProgress } from '../../terminal/progress.ts';
import { renderProgress } from '../../terminal/progress-bar.ts';
import { type RecordLine } from '../../format/record.ts';
import { toMinute } from '../../format/times.ts';
import { exitCodeOfBatch } from '../../command/batch-exit-code.ts';
import { confirm } from '../../command/confirm.ts';
import { countRange } from '../metrics/fetch-metrics.ts';
import type { TimeRange } from '../../command/time-range.ts';
import { errorMessage } from '../logs/syncs.ts';
import { followRetries, type RetryWait } from './follow-retries.ts';
import { exitCodeOfFollowed, type FollowedOutcome, followedOutcome } from './retries-result.ts';

export interface RetryAllRequest {
  readonly range: TimeRange;
  readonly sourceId: number | undefined;
  readonly connectionId: number | undefined;
  readonly includesRecovered: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  /** Null: do not wait for the results. */
  readonly wait: RetryWait | null;
  readonly isJson: boolean;
}

/** The output of `--json`. */
export interface RetryAllResult extends RetryAllSummary, TimeRange {
  readonly dryRun: boolean;
  /** With `--wait`: what became of each queued retry. */
  readonly syncs?: readonly { readonly id: number; readonly outcome: FollowedOutcome; readonly sync: Sync | null }[];
}

/** The fields of `RetryAllResult` without `--wait`. */
export const RETRY_ALL_FIELDS: readonly string[] = [
  'from',
  'to',
  'dryRun',
  'found',
  'queued',
  'skipped',
  'skipped.id',
  'skipped.reason',
  'refused',
  'refused.id',
  'refused.status',
  'refused.message',
];

/** The fields of `RetryAllResult` with `--wait`. */
export const RETRY_ALL_WAIT_FIELDS: readonly string[] = [
  ...RETRY_ALL_FIELDS,
  'syncs',
  'syncs.id',
  'syncs.outcome',
  'syncs.sync',
  ...SYNC_RESOURCE_FIELDS.map((field) => `syncs.sync.${field}`),
];

const REPEAT_HINT = 'Run the same command again to continue. A pending retry is not written twice.';

/**
 * Asks for confirmation, then retries the failed syncs of a range.
 *
 * @throws FailureWithHint if it fails in the middle; the hint contains the progress
 */
export async function runRetryAll(client: Client, request: RetryAllRequest): Promise<RetryAllResult> {
  const { range, dryRun, isJson, yes, wait, ...filter } = request;
  const { sourceId, connectionId, includesRecovered } = filter;
  let total: number | null = null;
  if (!dryRun && !yes) {
    // Without a prompt, the count is not needed.
    if (process.stdin.isTTY && process.stderr.isTTY) total = await countFailed(client, request);
    await confirm(describeRetry(request, total), { yes });
  }
  const progress = startProgress(isJson ? null : process.stderr);
  const onProgress = (summary: RetryAllSummary) => {
    const done = describeSummary(summary, dryRun);
    const parts = [{ text: `${formatCount(summary.found)} failed syncs found`, dropOrder: 1 }, { text: done }];
    const share = total === null || total === 0 ? null : Math.min(1, summary.found / total);
    progress.show((columns) => renderProgress(share, parts, columns));
    if (!dryRun) setInterruptHint(`So far: ${done}. ${REPEAT_HINT}`);
  };
  try {
    const params = { ...range, sourceId, connectionId, includesRecovered, dryRun, onProgress };
    if (wait === null) return { ...range, dryRun, ...(await client.syncs.retryAll(params)) };
    const { result, followed } = await followRetries(
      client,
      (onQueued) => client.syncs.retryAll({ ...params, onQueued }),
      wait,
      { progress, isJson },
    );
    const syncs = followed.map((retry) => ({
      id: retry.sync.id,
      outcome: followedOutcome(retry),
      sync: retry.became,
    }));
    return { ...range, dryRun, ...result, syncs };
  } catch (error) {
    const summary = error instanceof SvcError ? error.summary : undefined;
    if (dryRun || summary === undefined || summary.queued.length === 0) throw error;
    throw new FailureWithHint(error, `So far: ${describeSummary(summary, dryRun)}. ${REPEAT_HINT}`);
  } finally {
    progress.end();
  }
}

export function exitCodeOfRetryAll({ queued, refused, syncs }: RetryAllResult): ExitCode {
  const results = syncs?.map(({ outcome }) => exitCodeOfFollowed(outcome)) ?? queued.map(() => EXIT_CODES.ok);
  const refusals = refused.map(({ status }) => (status === 404 ? EXIT_CODES.notFound : EXIT_CODES.conflict));
  return exitCodeOfBatch([...results, ...refusals]);
}

async function countFailed(client: Client, { range, sourceId, connectionId }: RetryAllRequest): Promise<number> {
  const { error } = await countRange<'syncs'>(
    (part) => client.syncs.metrics({ ...part, sourceId, connectionId }),
    range,
  );
  return error;
}

/** @param total number of failed syncs; null if unknown */
function describeRetry({ range, sourceId, connectionId }: RetryAllRequest, total: number | null): string {
  const of = [
    ...(sourceId === undefined ? [] : [` of source ${sourceId}`]),
    ...(connectionId === undefined ? [] : [` on connection ${connectionId}`]),
  ];
  const which = `${of.join('')} from ${toMinute(range.from)} to ${toMinute(range.to)}`;
  if (total === null) return `Retry the failed syncs${which}`;
  return `Retry up to ${formatCount(total)} failed ${total === 1 ? 'sync' : 'syncs'}${which}`;
}

function describeSummary({ queued, skipped, refused }: RetryAllSummary, dryRun: boolean): string {
  const wouldBe = dryRun ? ' would be' : '';
  const counts = [
    `${formatCount(queued.length)}${wouldBe} queued`,
    `${formatCount(skipped.length)} skipped`,
    `${formatCount(refused.length)} refused`,
  ];
  return counts.join(', ');
}

type SkipReason = RetryAllResult['skipped'][number]['reason'];

const REASONS: Readonly<Record<SkipReason, string>> = {
  recovered: 'succeeded since',
  superseded: 'failed again later',
  crm: 'CRM without retry',
};

/** Number of refusals in the text output; JSON contains all. */
const SHOWN_REFUSALS = 20;

export function retryLines({ syncId }: RetryQueued): RecordLine[] {
  return [
    { label: 'Sync', text: String(syncId) },
    { label: 'Retry', text: 'queued', tone: 'good' },
  ];
}

export function retryAllLines(result: RetryAllResult): RecordLine[] {
  const { from, to, dryRun, found, queued, skipped, refused, syncs } = result;
  const shown = refused.slice(0, SHOWN_REFUSALS);
  const hidden = refused.length - shown.length;
  return [
    { label: 'Range', text: `${from} to ${to}` },
    { label: 'Failed', text: formatCount(found), raw: String(found) },
    {
      label: dryRun ? 'Would be queued' : 'Queued',
      text: formatCount(queued.length),
      raw: String(queued.length),
      tone: queued.length > 0 ? 'good' : undefined,
    },
    { label: 'Skipped', text: formatCount(skipped.length) + describeSkipped(skipped) },
    {
      label: 'Refused',
      text: formatCount(refused.length),
      raw: String(refused.length),
      tone: refused.length > 0 ? 'bad' : undefined,
    },
    ...shown.map(({ id, status, message }) => ({ label: '', text: `${id}: ${message} (${status})` })),
    ...(hidden > 0 ? [{ label: '', text: `and ${formatCount(hidden)} more (see --json)` }] : []),
    ...(syncs === undefined ? [] : resultLines(syncs)),
  ];
}

/** What became of the queued retries. */
function resultLines(syncs: NonNullable<RetryAllResult['syncs']>): RecordLine[] {
  const failed = syncs.filter(({ outcome }) => outcome === 'error');
  const waiting = syncs.filter(({ outcome }) => outcome === 'timeout').length;
  const written = syncs.length - failed.length - waiting;
  const line = (label: string, count: number, tone: RecordLine['tone']): RecordLine => {
    return { label, text: formatCount(count), raw: String(count), tone: count > 0 ? tone : undefined };
  };
  const shown = failed.slice(0, SHOWN_REFUSALS);
  const hidden = failed.length - shown.length;
  return [
    line('Written', written, 'good'),
    line('Failed again', failed.length, 'bad'),
    ...shown.map(({ id, sync }) => ({ label: '', text: `${id}: ${errorMessage(sync?.error ?? null)}` })),
    ...(hidden > 0 ? [{ label: '', text: `and ${formatCount(hidden)} more (see --json)` }] : []),
    line('Still queued', waiting, 'warn'),
  ];
}

function describeSkipped(skipped: RetryAllResult['skipped']): string {
  const counts = Object.entries(REASONS).flatMap(([reason, text]) => {
    const count = skipped.filter((each) => each.reason === reason).length;
    return count === 0 ? [] : [`${formatCount(count)} ${text}`];
  });
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`;
}
