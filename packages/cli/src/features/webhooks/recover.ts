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
 * - `pending`: a later delivery of the same event is under way
 * - `superseded`: a later delivery of the same event failed too; that one is replayed
 */
export type RecoverSkipReason = 'recovered' | 'pending' | 'superseded';

/** What there is to do about the deliveries that were given up. */
export interface RecoveryPlan {
  /** Oldest first, so that a receiver gets the events in their order. */
  readonly replays: readonly WebhookDelivery[];
  readonly skipped: readonly { readonly id: string; readonly reason: RecoverSkipReason }[];
}

/** What became of it. */
export interface RecoverySummary {
  readonly webhookId: string;
  readonly since: string;
  readonly dryRun: boolean;
  /** DEAD and FAILED deliveries since then. */
  readonly found: number;
  /** `replayId` is the new delivery; null where nothing was really done. */
  readonly queued: readonly { readonly id: string; readonly replayId: string | null }[];
  readonly skipped: RecoveryPlan['skipped'];
  readonly refused: readonly { readonly id: string; readonly status: number; readonly message: string }[];
}

/** Reads the log from now back to `since`: what came later decides. */
export async function planRecovery(client: Client, webhookId: string, since: string): Promise<RecoveryPlan> {
  const sinceMs = Date.parse(since);
  const newestFirst: WebhookDelivery[] = [];
  for await (const delivery of client.webhooks.listDeliveries(webhookId)) {
    if (Date.parse(delivery.createdAt) < sinceMs) break;
    newestFirst.push(delivery);
  }
  const originals = new Map(newestFirst.map(({ id, replayOfDeliveryId }) => [id, replayOfDeliveryId]));
  const stands = new Map<string, RecoverSkipReason>();
  const replays: WebhookDelivery[] = [];
  const skipped: { id: string; reason: RecoverSkipReason }[] = [];
  for (const delivery of newestFirst) {
    const { id, status } = delivery;
    const event = originalOf(id, originals);
    const known = stands.get(event);
    if (status === 'SUCCEEDED') stands.set(event, 'recovered');
    else if (status === 'PENDING') stands.set(event, known ?? 'pending');
    else if (known === undefined) {
      stands.set(event, 'superseded');
      replays.unshift(delivery);
    } else skipped.push({ id, reason: known });
  }
  return { replays, skipped };
}

/** Deliveries do not name their event. All of one event at one webhook are replays of its first one. */
function originalOf(id: string, originals: ReadonlyMap<string, string | null>): string {
  let first = id;
  for (let next = originals.get(first); typeof next === 'string'; next = originals.get(first)) first = next;
  return first;
}

export interface ReplayTools {
  /** Between two replays, in milliseconds. */
  readonly paceMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Told of how many are done. */
  readonly onProgress: (done: number) => void;
}

/** What the replays came to. */
export interface Replayed extends Pick<RecoverySummary, 'queued' | 'refused'> {
  /** 0 when each was queued, 10 when some were; else why they were refused. */
  readonly exitCode: ExitCode;
}

/** Told where replays are broken off. */
export const GO_ON = 'The same command goes on from here: what was replayed is left out then.';

/**
 * Replays one after the other. What the service does not do for one delivery, it may do for the next.
 *
 * @throws what would befall the next one too: no key, no service; with how many are done in its hint
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
        throw new FailureWithHint(error, `Until then: ${queued.length} of ${replays.length} replayed. ${GO_ON}`);
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

/** @param done null when nothing was to be replayed, or was not to be */
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
  pending: 'under way',
  superseded: 'failed again later',
};

/** What there was, and what became of it; before it is done, with the deliveries themselves. */
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
