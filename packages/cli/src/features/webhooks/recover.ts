import { ApiError, type Client, type WebhookDelivery } from '@svc/sdk';
import { FailureWithHint } from '../../errors/cli-error.ts';
import { toErrorReport } from '../../command/map-error.ts';
import { EXIT_CODES, type ExitCode } from '../../errors/exit-codes.ts';
import { exitCodeOfBatch } from '../../command/batch-exit-code.ts';
import { type RecordLine, renderRecord } from '../../format/record.ts';
import { renderTable, type TableOptions } from '../../terminal/table.ts';
import { WEBHOOK_DELIVERY_COLUMNS } from './columns.ts';

/**
 * - `recovered`: a later delivery of the same event succeeded
 * - `pending`: a later delivery of the same event is pending
 * - `superseded`: a later delivery of the same event failed too; that one is replayed
 */
export type RecoverSkipReason = 'recovered' | 'pending' | 'superseded';

/** The failed deliveries to replay and to skip. */
export interface RecoveryPlan {
  /** Oldest first, so that the receiver gets the events in order. */
  readonly replays: readonly WebhookDelivery[];
  readonly skipped: readonly { readonly id: string; readonly reason: RecoverSkipReason }[];
}

/** The output of `webhooks recover --json`. */
export interface RecoverySummary {
  readonly webhookId: string;
  readonly since: string;
  readonly dryRun: boolean;
  /** Number of DEAD and FAILED deliveries since then. */
  readonly found: number;
  /** `replayId` is the new delivery; null in a dry run. */
  readonly queued: readonly { readonly id: string; readonly replayId: string | null }[];
  readonly skipped: RecoveryPlan['skipped'];
  readonly refused: readonly { readonly id: string; readonly status: number; readonly message: string }[];
}

/** Reads the log back to `since` and plans the replays. The latest delivery of an event decides. */
export async function planRecovery(client: Client, webhookId: string, since: string): Promise<RecoveryPlan> {
  const sinceMs = Date.parse(since);
  const newestFirst: WebhookDelivery[] = [];
  for await (const delivery of client.webhooks.listDeliveries(webhookId)) {
    if (Date.parse(delivery.createdAt) < sinceMs) break;
    newestFirst.push(delivery);
  }
  const originals = new Map(newestFirst.map(({ id, replayOfDeliveryId }) => [id, replayOfDeliveryId]));
  const outcomes = new Map<string, RecoverSkipReason>();
  const replays: WebhookDelivery[] = [];
  const skipped: { id: string; reason: RecoverSkipReason }[] = [];
  for (const delivery of newestFirst) {
    const { id, status } = delivery;
    const event = originalOf(id, originals);
    const known = outcomes.get(event);
    if (status === 'SUCCEEDED') outcomes.set(event, 'recovered');
    else if (status === 'PENDING') outcomes.set(event, known ?? 'pending');
    else if (known === undefined) {
      outcomes.set(event, 'superseded');
      replays.unshift(delivery);
    } else skipped.push({ id, reason: known });
  }
  return { replays, skipped };
}

/** Returns the first delivery of the event. Deliveries do not name their event, but replays refer to earlier deliveries. */
function originalOf(id: string, originals: ReadonlyMap<string, string | null>): string {
  let first = id;
  for (let next = originals.get(first); typeof next === 'string'; next = originals.get(first)) first = next;
  return first;
}

export interface ReplayTools {
  /** Delay between two replays in milliseconds. */
  readonly paceMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called with the number of replays done. */
  readonly onProgress: (done: number) => void;
}

/** The result of the replays. */
export interface Replayed extends Pick<RecoverySummary, 'queued' | 'refused'> {
  /** 0 if all were queued, 10 if some were, else the code of the refusals. */
  readonly exitCode: ExitCode;
}

/** Hint after an interruption. */
export const REPEAT_HINT = 'Run the same command again to continue. Replayed deliveries are skipped.';

/**
 * Replays deliveries one after another, continuing after refusals.
 *
 * @throws errors that would repeat, such as a rejected key; the hint contains the progress
 */
export async function replayAll(
  client: Client,
  webhookId: string,
  replays: readonly WebhookDelivery[],
  { paceMs, sleep, onProgress }: ReplayTools,
): Promise<Replayed> {
  const queued: { id: string; replayId: string }[] = [];
  const refused: { id: string; status: number; message: string }[] = [];
  const exitCodes: ExitCode[] = [];
  for (const [index, { id }] of replays.entries()) {
    if (index > 0) await sleep(paceMs);
    try {
      queued.push({ id, replayId: (await client.webhooks.replayDelivery(webhookId, id)).id });
      exitCodes.push(EXIT_CODES.ok);
    } catch (error) {
      const { status, message, exitCode } = toErrorReport(error);
      if (!(error instanceof ApiError) || status === null || !isRefusal(exitCode)) {
        if (queued.length === 0) throw error;
        throw new FailureWithHint(error, `So far: ${queued.length} of ${replays.length} replayed. ${REPEAT_HINT}`);
      }
      refused.push({ id, status, message });
      exitCodes.push(exitCode);
    }
    onProgress(index + 1);
  }
  return { queued, refused, exitCode: exitCodeOfBatch(exitCodes) };
}

function isRefusal(exitCode: ExitCode): boolean {
  return exitCode === EXIT_CODES.notFound || exitCode === EXIT_CODES.conflict || exitCode === EXIT_CODES.usage;
}

/** @param done null in a dry run or if there was nothing to replay */
export function toSummary(
  about: Pick<RecoverySummary, 'webhookId' | 'since' | 'dryRun'>,
  { replays, skipped }: RecoveryPlan,
  done: Replayed | null,
): RecoverySummary {
  return {
    ...about,
    found: replays.length + skipped.length,
    queued: done?.queued ?? replays.map(({ id }) => ({ id, replayId: null })),
    skipped,
    refused: done?.refused ?? [],
  };
}

const REASONS: Readonly<Record<RecoverSkipReason, string>> = {
  recovered: 'delivered since',
  pending: 'pending',
  superseded: 'failed again later',
};

/** Renders the summary; in a dry run, also the deliveries. */
export function renderRecovery(summary: RecoverySummary, { replays }: RecoveryPlan, options: TableOptions): string {
  const { dryRun, found, since, skipped, queued, refused } = summary;
  const lines: RecordLine[] = [
    { label: 'Not delivered', text: `${found} since ${since}` },
    {
      label: dryRun ? 'Would be queued' : 'Queued',
      text: String(queued.length),
      tone: queued.length > 0 ? 'good' : undefined,
    },
    { label: 'Skipped', text: `${skipped.length}${describeSkipped(skipped)}` },
    { label: 'Refused', text: String(refused.length), tone: refused.length > 0 ? 'bad' : undefined },
    ...refused.map(({ id, status, message }) => ({ label: '', text: `${id}: ${message} (${status})` })),
  ];
  const listed = dryRun && replays.length > 0 ? `\n${renderTable(replays, WEBHOOK_DELIVERY_COLUMNS, options)}` : '';
  return renderRecord(lines, options.paint) + listed;
}

function describeSkipped(skipped: RecoverySummary['skipped']): string {
  const counts = Object.entries(REASONS).flatMap(([reason, text]) => {
    const count = skipped.filter((each) => each.reason === reason).length;
    return count === 0 ? [] : [`${count} ${text}`];
  });
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`;
}
