import type { CallOptions, Client, Delivery, RequestReceipt, Sync } from '@svc/sdk';
import { toEventKey } from '@svc/domain/values/event-key';
import { fetchFailingSources } from './failing-sources.ts';
import type { EventOutcome, Explanation } from './explanation.ts';
import { findRowBefore, findRows, type FoundRows } from './find-rows.ts';
import { nextSteps } from './next-steps.ts';

/** Attempts may come this long before the explained one, if the time of the request is unknown. */
const REACH_BACK_MS = 24 * 3_600_000;

/**
 * Collects everything the API knows about the event of a sync. Only the sync itself must be readable; what else cannot be
 * read becomes a gap.
 *
 * @param showTime how times are shown in the text of next steps
 * @throws NotFoundError if the sync does not exist or is not accessible
 */
export async function explainSync(
  client: Client,
  id: number,
  showTime: (timestamp: string) => string = (timestamp) => timestamp,
  options: CallOptions = {},
): Promise<Explanation> {
  const sync = await client.syncs.get(id, options);
  const gaps: { part: string; reason: string }[] = [];
  const orGap = async <Part>(part: string, reading: Promise<Part>): Promise<Part | null> => {
    try {
      return await reading;
    } catch (error) {
      gaps.push({ part, reason: error instanceof Error ? error.message : String(error) });
      return null;
    }
  };
  const [me, status, sources, failing, request] = await Promise.all([
    orGap('key', client.me.get(options)),
    orGap('connection', client.account.status(options)),
    orGap('source', client.sources.list(options)),
    fetchFailingSources(client, options),
    orGap('request', findRequest(client, sync, options)),
  ]);
  if (sync.payloadId === null) {
    gaps.push({ part: 'request', reason: 'the service no longer knows which request the sync belongs to' });
  } else if (request === null && gaps.every(({ part }) => part !== 'request')) {
    gaps.push({ part: 'request', reason: `request ${sync.payloadId} is not among the requests before the sync` });
  }

  // The time of the service, because the clock of this machine may differ.
  const nowMs = status === null ? Date.now() : Date.parse(status.checkedAt);
  const range = {
    fromMs: request === null ? Date.parse(sync.createdAt) - REACH_BACK_MS : Date.parse(request.createdAt),
    toMs: Math.max(nowMs, Date.parse(sync.createdAt)),
  };
  const [syncs, deliveries] =
    sync.payloadId === null
      ? [null, null]
      : await Promise.all([
          orGap('attempts', findSyncs(client, sync, range, options)),
          orGap('deliveries', findDeliveries(client, sync, range, options)),
        ]);
  for (const [part, found] of [['attempts', syncs] as const, ['deliveries', deliveries] as const]) {
    if (typeof found?.incompleteFrom !== 'string') continue;
    gaps.push({ part, reason: `there are too many rows: not all from ${found.incompleteFrom} on were read` });
  }

  const attempts = [
    ...(syncs?.rows ?? []).filter((other) => toEventKey(other) === toEventKey(sync) && other.id !== id),
    sync,
  ];
  const facts = {
    sync,
    outcome: outcomeOf(attempts.toSorted(byTime)),
    request,
    source: sources?.sources.find((source) => source.id === sync.sourceId) ?? null,
    connection: status?.connections.find(({ connectionId }) => connectionId === sync.connectionId) ?? null,
    blockers: status?.blockers.filter(({ connectionId }) => connectionId === sync.connectionId) ?? [],
    failingSource: failing.find(({ sourceId }) => sourceId === sync.sourceId) ?? null,
    attempts: attempts.toSorted(byTime),
    otherSyncs: (syncs?.rows ?? []).filter((other) => toEventKey(other) !== toEventKey(sync)).toSorted(byTime),
    deliveries: (deliveries?.rows ?? []).toSorted(byTime),
  };
  return { ...facts, nextSteps: nextSteps(facts, me?.apiKey.scopes ?? null, showTime), gaps };
}

async function findRequest(
  client: Client,
  { payloadId, sourceId, createdAt }: Sync,
  options: CallOptions,
): Promise<RequestReceipt | null> {
  if (payloadId === null) return null;
  const filter = sourceId === null ? {} : { sourceId };
  return findRowBefore(
    (range) => client.requests.list({ ...range, ...filter }, options),
    payloadId,
    Date.parse(createdAt),
  );
}

type Span = Parameters<typeof findRows>[2];

function findSyncs(
  client: Client,
  { payloadId, sourceId, connectionId }: Sync,
  span: Span,
  options: CallOptions,
): Promise<FoundRows<Sync>> {
  const filter = sourceId === null ? { connectionId } : { sourceId };
  return findRows(
    (range) => client.syncs.list({ ...range, ...filter }, options),
    (row) => row.payloadId === payloadId,
    span,
  );
}

function findDeliveries(
  client: Client,
  { payloadId }: Sync,
  span: Span,
  options: CallOptions,
): Promise<FoundRows<Delivery>> {
  return findRows(
    (range) => client.deliveries.list(range, options),
    (row) => row.payloadId === payloadId,
    span,
  );
}

function byTime(a: { id: number; createdAt: string }, b: { id: number; createdAt: string }): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || a.id - b.id;
}

/** @param attempts oldest first */
function outcomeOf(attempts: readonly Sync[]): EventOutcome {
  if (attempts.some(({ status }) => status === 'success')) return 'written';
  return attempts.at(-1)?.status === 'error' ? 'failed' : 'warning';
}
