import { asObject, asText } from '../http/answer-values.ts';
import { asId, type PipedriveClient, readPages } from './client.ts';

/** Pipelines of deals, in the order in which Pipedrive shows them, with their stages. */

export interface Pipeline {
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
  return pipelines.map(({ id, name }) => ({ id, name, stages: stages.filter(({ pipelineId }) => pipelineId === id) }));
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
