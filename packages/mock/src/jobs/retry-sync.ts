/** The work behind `POST /syncs/:id/retry`: the event is written again as a new sync; the failed one stays as it is. */
import { connectionsById, sourcesById } from '../core/rows.ts';
import { findRow } from '../core/log.ts';
import { updateData } from '../core/world.ts';
import { removeJob } from '../core/world-data.ts';
import { writeToCrm } from './crm.ts';
import type { JobRun } from './run-due.ts';

export function retrySync(run: JobRun<'retry-sync'>): void {
  const { world, job } = run;
  updateData(world, removeJob(world.state.data, job));
  const { data } = world.state;
  const sync = findRow(data.syncs, job.syncId);
  if (sync === null || sync.sourceId === null || sync.payloadId === null) return;
  const source = sourcesById(data.sources).get(sync.sourceId);
  const connection = connectionsById(data.connections).get(sync.connectionId);
  if (source === undefined || connection === undefined) return;
  const { eventType, toEmail, platform, payloadId } = sync;
  writeToCrm(run, { source, connection, eventType, toEmail, platform, payloadId });
}
