/** Posts received payloads to destinations: forwardings with retries, and replays with one attempt. */
import {
  bindingAccepts,
  DESTINATIONS_OFF,
  FORWARDING_TIMEOUT_MS,
  type ForwardingAttempt,
  forwardingHeaders,
  forwardingOutcome,
  nextForwardingAt,
  PAYLOAD_NOT_KEPT,
} from '@svc/domain/forwarding/forwarding';
import { jitterFrom } from '@svc/domain/webhooks/webhook-delivery';
import type { DeliveryRow } from '@svc/domain/world';
import { nextLogId } from '../../state/ids.ts';
import { addRow, findRow } from '../../state/log.ts';
import { random } from '../../state/random.ts';
import { connectionsById, destinationsById } from '../../state/row-indexes.ts';
import { addJob, receivedText, removeJob, type RequestRow } from '../../state/world-data.ts';
import { updateData, type World } from '../../state/world.ts';
import type { JobRun, WorldRun } from './job-run.ts';
import { send } from './post.ts';

export async function forwardEvent(run: JobRun<'forward-event'>): Promise<void> {
  const { world, job, isCurrent } = run;
  const target = findTarget(world, job);
  if (target === null) {
    updateData(world, removeJob(world.state.data, job));
    return;
  }
  const jitterMs = jitterFrom(random(world));
  const attempt = await post(run, target.destination.url, target.request);
  if (!isCurrent()) return;
  const at = run.time();
  const { accountId, connectionId, sourceId, id: payloadId } = target.request;
  const { eventType, toEmail, destinationId } = job;
  const made = { accountId, connectionId: connectionId ?? 0, sourceId, payloadId, eventType, toEmail, destinationId };
  addDelivery(world, { ...made, destinationUrl: target.destination.url }, attempt, at);
  const attemptCount = job.attemptCount + 1;
  const dueAt = nextForwardingAt({ ...attempt, at }, { attemptCount, jitterMs });
  const done = removeJob(world.state.data, job);
  const { number: _number, dueAt: _dueAt, ...work } = job;
  updateData(world, dueAt === null ? done : addJob(done, { ...work, attemptCount }, dueAt));
}

/** Returns the request and destination; null when the request, the binding or the capability is gone. */
function findTarget(world: World, job: JobRun<'forward-event'>['job']) {
  const { data } = world.state;
  const request = findRow(data.requests, job.requestId);
  const destination = destinationsById(data.destinations).get(job.destinationId);
  if (request === null || request.connectionId === null || destination === undefined) return null;
  if (destination.connectionId !== request.connectionId) return null;
  const binding = destination.bindings.find(({ sourceId }) => sourceId === request.sourceId);
  const canForward = connectionsById(data.connections).get(request.connectionId)?.capabilities.destinations === true;
  return canForward && binding !== undefined && bindingAccepts(binding, job.eventType)
    ? { request, destination }
    : null;
}

/**
 * Replays a delivery (`POST /destinations/:id/deliveries/:deliveryId/replay`): one attempt at the destination's current URL, with
 * a new row. While the connection's capability is off, nothing is posted, and the row says so.
 */
export async function replayDelivery(run: JobRun<'replay-delivery'>): Promise<void> {
  const { world, job, isCurrent } = run;
  const replayed = findReplayed(world, job.deliveryId);
  if (replayed === null) {
    updateData(world, removeJob(world.state.data, job));
    return;
  }
  const { made, request, canForward } = replayed;
  const attempt = canForward ? await post(run, made.destinationUrl, request) : DESTINATIONS_OFF;
  if (!isCurrent()) return;
  addDelivery(world, made, attempt, run.time());
  updateData(world, removeJob(world.state.data, job));
}

function findReplayed(
  world: World,
  deliveryId: number,
): { readonly made: Made; readonly request: RequestRow | null; readonly canForward: boolean } | null {
  const { data } = world.state;
  const original = findRow(data.deliveries, deliveryId);
  if (original === null || original.payloadId === null) return null;
  const destination = destinationsById(data.destinations).get(original.destinationId);
  const connection = destination && connectionsById(data.connections).get(destination.connectionId);
  if (destination === undefined || connection === undefined) return null;
  return {
    made: { ...original, destinationUrl: destination.url },
    request: findRow(data.requests, original.payloadId),
    canForward: connection.capabilities.destinations,
  };
}

async function post(run: WorldRun, url: string, request: RequestRow | null): Promise<ForwardingAttempt> {
  const text = request && receivedText(request);
  if (request === null || text === null) {
    return PAYLOAD_NOT_KEPT;
  }
  const contentType = request.received?.contentType ?? null;
  const headers = forwardingHeaders({ payloadId: request.id, contentType }, run.world.branding);
  const outgoing = { kind: 'forwarding', url, headers, body: text, timeoutMs: FORWARDING_TIMEOUT_MS } as const;
  const { status, error, isRefused } = await send(run, outgoing);
  return { httpStatus: status, error, isRefused };
}

type Made = Pick<
  DeliveryRow,
  'accountId' | 'connectionId' | 'sourceId' | 'payloadId' | 'eventType' | 'toEmail' | 'destinationId' | 'destinationUrl'
>;

function addDelivery(world: World, made: Made, attempt: ForwardingAttempt, at: Date): void {
  const { deliveries } = world.state.data;
  const { accountId, connectionId, sourceId, payloadId, eventType, toEmail, destinationId, destinationUrl } = made;
  const row: DeliveryRow = {
    id: nextLogId(deliveries),
    accountId,
    connectionId,
    sourceId,
    payloadId,
    eventType,
    toEmail,
    destinationId,
    destinationUrl,
    ...forwardingOutcome(attempt),
    isHttpStatusInferred: false,
    createdAt: at,
  };
  updateData(world, { deliveries: addRow(deliveries, row) });
}
