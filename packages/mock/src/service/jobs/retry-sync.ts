/**
 * Retries a sync (`POST /syncs/:id/retry`): writes its event again as a new sync. The event of a world file's sync is read from
 * the received payload; when that fails, the new sync has an error. While a write of the event is pending, that one is repeated
 * now instead.
 */
import { payloadUnreadableError } from '@svc/domain/syncs/sync-errors';
import { parseReceivedBody } from '@svc/domain/syncs/inbound-post';
import { findEvent, hashBody, type InboundEvent, type SourceReader } from '@svc/sequencers';
import { withReadyMapping } from '@svc/sequencers/mappings';
import { findRow } from '../../state/log.ts';
import { connectionsById, sourcesById } from '../../state/row-indexes.ts';
import { receivedText, removeJob, type SyncRow } from '../../state/world-data.ts';
import { updateData, type World } from '../../state/world.ts';
import { type CrmWrite, recordSync, repeatWrite, writeToCrm } from './crm.ts';
import type { JobRun } from './job-run.ts';
import { plannedEvent } from './write-plan.ts';

export async function retrySync(run: JobRun<'retry-sync'>): Promise<void> {
  const { world, job } = run;
  const reader = await findReader(world, job.syncId);
  if (!run.isCurrent()) return;
  updateData(world, removeJob(world.state.data, job));
  const { data } = world.state;
  const sync = findRow(data.syncs, job.syncId);
  if (sync === null || sync.sourceId === null || sync.payloadId === null) return;
  const source = sourcesById(data.sources).get(sync.sourceId);
  const connection = connectionsById(data.connections).get(sync.connectionId);
  if (source === undefined || connection === undefined || reader === null) return;
  const { id: syncId, platform, payloadId } = sync;
  const event = sync.isEventKnown === true ? sync : findKeptEvent(world, reader, sync);
  const { eventType, toEmail } = event ?? sync;
  const planned = plannedEvent(findKeptEvent(world, reader, sync) ?? { ...BLANK, eventType });
  const write = { source, connection, eventType, toEmail, event: planned, platform, payloadId };
  if (event === null) {
    recordSync(run, write, { status: 'error', error: payloadUnreadableError(), isEventKnown: false });
    return;
  }
  const pending = findPendingWrite(world, write);
  if (pending === undefined) writeToCrm(run, write, job, (tries) => ({ kind: 'retry-sync', syncId, tries }));
  else repeatWrite({ ...run, job: pending });
}

/** Returns how the source of a sync is read; null when one of them is gone. */
async function findReader({ state: { data } }: World, syncId: number): Promise<SourceReader | null> {
  const source = sourcesById(data.sources).get(findRow(data.syncs, syncId)?.sourceId ?? 0);
  return source === undefined ? null : withReadyMapping(source);
}

/** An event of which only the type is known. */
const BLANK = { fromEmail: null, campaign: { id: null, name: null }, category: null, sequenceNumber: null };

/** Returns the job that still tries to write the same event. */
function findPendingWrite({ state }: World, write: CrmWrite): JobRun<'write-crm'>['job'] | undefined {
  return state.data.jobs.find(
    (job): job is JobRun<'write-crm'>['job'] =>
      job.kind === 'write-crm' &&
      job.sourceId === write.source.id &&
      job.requestId === write.payloadId &&
      job.eventType === write.eventType &&
      job.toEmail === write.toEmail,
  );
}

function findKeptEvent({ state }: World, reader: SourceReader, sync: SyncRow): InboundEvent | null {
  const request = sync.payloadId === null ? null : findRow(state.data.requests, sync.payloadId);
  const text = request && receivedText(request);
  if (text === null) return null;
  // Headers only serve to detect repeats, which does not matter here.
  const body = parseReceivedBody(text, request?.received?.contentType ?? undefined);
  const input = { headers: {}, body, bodyHash: hashBody(new TextEncoder().encode(text)) };
  return findEvent(reader, input, sync);
}
