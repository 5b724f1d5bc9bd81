/**
 * Processes a received request: the platform's adapter reads the events, and those that the source has not sent before are
 * written to the CRM, forwarded to the destinations whose binding accepts them, and relayed.
 */
import { type ForwardingBinding, planForwardings } from '@svc/domain/forwarding/forwarding';
import { newRelayMail } from '@svc/domain/relays/relay-attempts';
import { planRelays } from '@svc/domain/relays/relay-reply';
import { parseReceivedBody } from '@svc/domain/syncs/inbound-post';
import type { ConnectionRow, SourceRow } from '@svc/domain/world';
import { type InboundEvent, normalize, type SourceReader } from '@svc/sequencers';
import { withReadyMapping } from '@svc/sequencers/mappings';
import { addKeys, hasKey } from '../../state/key-set.ts';
import { changeRow, findRow } from '../../state/log.ts';
import { connectionsById, sourcesById } from '../../state/row-indexes.ts';
import { addJob, removeJob, type RequestRow } from '../../state/world-data.ts';
import { updateData, type World } from '../../state/world.ts';
import { writeToCrm } from './crm.ts';
import { plannedEvent } from './write-plan.ts';
import { holdNewEvents } from './hold-events.ts';
import type { JobRun, WorldRun } from './job-run.ts';

interface Receipt {
  readonly request: RequestRow;
  readonly source: SourceRow;
  readonly connection: ConnectionRow;
}

interface NewEvent extends InboundEvent {
  readonly id: number;
}

export async function processRequest(run: JobRun<'process-request'>): Promise<void> {
  const { world, job } = run;
  const source = findReceipt(world, job.requestId)?.source;
  const reader = source && (await withReadyMapping(source));
  if (!run.isCurrent()) return;
  updateData(world, removeJob(world.state.data, job));
  const receipt = findReceipt(world, job.requestId);
  if (receipt === null || reader === undefined) return;
  const outcome = syncAndForward(run, receipt, reader);
  const { requests } = world.state.data;
  const shown = receipt.connection.capabilities.sync ? outcome : 'ignored';
  updateData(world, { requests: changeRow(requests, job.requestId, (row) => ({ ...row, outcome: shown })) });
}

function findReceipt(world: World, requestId: number): Receipt | null {
  const { data } = world.state;
  const request = findRow(data.requests, requestId);
  if (request === null || request.sourceId === null) return null;
  const source = sourcesById(data.sources).get(request.sourceId);
  const connection = source && connectionsById(data.connections).get(source.connectionId);
  return source === undefined || connection === undefined ? null : { request, source, connection };
}

function syncAndForward(run: JobRun<'process-request'>, receipt: Receipt, reader: SourceReader): RequestRow['outcome'] {
  const { world, job } = run;
  const { request, source, connection } = receipt;
  const bindings = bindingsOf(world, receipt);
  // Events that are neither synced, forwarded nor relayed are not read.
  const relays = relaysOf(world, receipt);
  if (!connection.capabilities.sync && bindings.length === 0 && relays.length === 0) return 'ignored';
  const text = request.received?.text ?? JSON.stringify(request.body);
  const body = parseReceivedBody(text, job.headers['content-type']);
  const result = normalize(reader, { headers: job.headers, body, bodyHash: job.bodyHash });
  if (result.outcome !== 'events') return result.outcome;
  const newEvents = keepNewEvents(run, receipt, result.events);
  if (newEvents.length === 0) return 'duplicate';
  if (connection.capabilities.sync) {
    const received = newEvents.map((event) => ({ requestId: request.id, event }));
    for (const { requestId, event } of holdNewEvents(run, receipt, received)) {
      const { eventType, toEmail } = event;
      const planned = plannedEvent(event);
      const { platform } = source;
      const write = { source, connection, eventType, toEmail, event: planned, platform, payloadId: requestId };
      const retry = { kind: 'write-crm', sourceId: source.id, requestId, eventType, toEmail, event: planned } as const;
      writeToCrm(run, write, { tries: null }, (tries) => ({ ...retry, tries }));
    }
  }
  for (const { destinationId, event, dueAt } of planForwardings({
    receivedAt: request.createdAt,
    newEvents,
    bindings,
  })) {
    const { eventType, toEmail } = event;
    const work = { kind: 'forward-event', requestId: job.requestId, destinationId, eventType, toEmail } as const;
    updateData(world, addJob(world.state.data, { ...work, attemptCount: 0 }, dueAt));
  }
  for (const { relayId, event, dueAt } of planRelays({ receivedAt: request.createdAt, newEvents, relays })) {
    const { id: eventId, ...reply } = event;
    const of = { relayId, connectionId: connection.id, sourceId: source.id, requestId: job.requestId, eventId };
    const planned = { receivedAt: request.createdAt, plannedAt: dueAt, state: newRelayMail(dueAt), messageId: null };
    updateData(world, addJob(world.state.data, { kind: 'relay-reply', ...of, reply, ...planned }, dueAt));
  }
  return 'synced';
}

/** Returns the relays that the source is bound to. Whether they may send is judged when their mails are due. */
function relaysOf(world: World, { source, connection }: Receipt): { relayId: number; delayMinutes: number }[] {
  return world.state.data.replyRelays
    .filter(({ connectionId, sourceIds }) => connectionId === connection.id && sourceIds.includes(source.id))
    .map(({ id: relayId, delayMinutes }) => ({ relayId, delayMinutes }));
}

/** Returns the bindings of the source by ascending destination id; none while the capability is off. */
function bindingsOf(world: World, { source, connection }: Receipt): ForwardingBinding[] {
  if (!connection.capabilities.destinations) return [];
  return world.state.data.destinations
    .filter(({ connectionId }) => connectionId === connection.id)
    .flatMap(({ id: destinationId, bindings }) =>
      bindings.filter(({ sourceId }) => sourceId === source.id).map((binding) => ({ ...binding, destinationId })),
    );
}

/** Records the events that the source has not sent before, and their categories. @returns these events */
function keepNewEvents(
  { world, now }: WorldRun,
  { source, connection }: Receipt,
  events: readonly InboundEvent[],
): NewEvent[] {
  const { data } = world.state;
  const keyOf = ({ eventKey }: InboundEvent) => `${source.id} ${eventKey}`;
  // The adapter returns each key once.
  const newEvents = events.filter((event) => !hasKey(data.seenEvents, keyOf(event)));
  const signals = newEvents.flatMap(({ category, toEmail }) =>
    category === null
      ? []
      : [
          {
            accountId: connection.accountId,
            connectionId: connection.id,
            identity: toEmail.toLowerCase(),
            categoryName: category.name,
            categoryId: category.id,
            platform: source.platform,
            at: now,
          },
        ],
  );
  updateData(world, {
    eventCount: data.eventCount + newEvents.length,
    seenEvents: addKeys(data.seenEvents, newEvents.map(keyOf)),
    categorySignals: signals.length === 0 ? data.categorySignals : [...data.categorySignals, ...signals],
  });
  return newEvents.map((event, index) => ({ ...event, id: data.eventCount + index + 1 }));
}
