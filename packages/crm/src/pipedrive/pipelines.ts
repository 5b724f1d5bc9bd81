import { asList, asObject, asText } from '../http/answer-values.ts';
import { asId, type PipedriveClient, readPages } from './client.ts';
import { fresh, once, type PipedriveSession, toRecord } from './session.ts';

/**
 * Pipelines of deals, in the order in which Pipedrive shows them, with their stages. They are remembered together, and listed again after
 * six hours, or when a name is not there.
 */

interface Pipeline {
  id: number;
  name: string;
  stages: readonly Stage[];
}

interface Stage {
  id: number;
  name: string;
}

/** Two calls, 20 tokens. @throws CrmFailure */
export async function listPipelines(client: PipedriveClient): Promise<Pipeline[]> {
  const pipelines = await listAll(client, '/api/v2/pipelines?limit=500');
  const stages = await listAll(client, '/api/v2/stages?limit=500');
  return pipelines.map(({ id, name }) => ({
    id,
    name,
    stages: stages.flatMap((stage) => (stage.pipelineId === id ? toNamed(stage) : [])),
  }));
}

async function listAll(client: PipedriveClient, path: string) {
  const all: (Stage & { order: number; pipelineId: number | null })[] = [];
  for await (const { items } of readPages(client, { operation: 'pipelines', path, part: 'the pipelines' })) {
    for (const item of items) {
      const { id, name, order_nr, is_deleted, pipeline_id } = asObject(item);
      const [itemId, text] = [asId(id), asText(name)];
      if (itemId === null || text === null || is_deleted === true) continue;
      all.push({ id: itemId, name: text, order: Number(order_nr), pipelineId: asId(pipeline_id) });
    }
  }
  return all.toSorted((a, b) => a.order - b.order || a.id - b.id);
}

const PIPELINES = 'setting:pipelines';
const PIPELINES_MS = 6 * 60 * 60 * 1000;
/** A name that is not there asks for the pipelines again, but not more often than this. */
const PIPELINES_RECHECK_MS = 60 * 60 * 1000;

/**
 * Returns a stage by name or id, in the pipeline with this name or id, else in the first one; null when there is none.
 *
 * @throws CrmFailure
 */
export async function findStage(
  session: PipedriveSession,
  { pipeline, stage }: { pipeline: string | null; stage: string },
): Promise<{ pipelineId: number; stageId: number } | null> {
  await session.records.load([PIPELINES]);
  for (const maxAgeMs of [PIPELINES_MS, PIPELINES_RECHECK_MS]) {
    const all = await once(session, `${PIPELINES}:${maxAgeMs}`, () => readPipelines(session, maxAgeMs));
    const found = pipeline === null ? all[0] : findNamed(all, pipeline);
    const foundStage = findNamed(found?.stages ?? [], stage);
    if (found !== undefined && foundStage !== undefined) return { pipelineId: found.id, stageId: foundStage.id };
  }
  return null;
}

async function readPipelines(session: PipedriveSession, maxAgeMs: number): Promise<readonly Pipeline[]> {
  const known = fresh(session, PIPELINES, maxAgeMs);
  if (known !== null) return asList(JSON.parse(known.detailsHash ?? '[]')).flatMap(toPipeline);
  const pipelines = await listPipelines(session.client);
  const record = toRecord(PIPELINES, 'pipeline', 'all', session.now());
  await session.records.write([{ ...record, detailsHash: JSON.stringify(pipelines) }]);
  return pipelines;
}

function toPipeline(stored: unknown): Pipeline[] {
  return toNamed(stored).map((named) => ({ ...named, stages: asList(asObject(stored)['stages']).flatMap(toNamed) }));
}

function toNamed(stored: unknown): Stage[] {
  const { id, name } = asObject(stored);
  const [itemId, text] = [asId(id), asText(name)];
  return itemId === null || text === null ? [] : [{ id: itemId, name: text }];
}

function findNamed<Named extends Stage>(all: readonly Named[], given: string): Named | undefined {
  const wanted = given.trim().toLowerCase();
  return all.find(({ id }) => String(id) === wanted) ?? all.find(({ name }) => name.trim().toLowerCase() === wanted);
}
