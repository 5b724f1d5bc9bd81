import { asList, asObject, asText } from '../http/answer-values.ts';
import type { CrmPipeline } from '../port/setup.ts';
import { type HubspotClient, unexpected } from './client.ts';
import { HUBSPOT_PATHS } from './paths.ts';

/** Returns the pipelines of deals and their stages, in HubSpot's order. @throws CrmFailure */
export async function readPipelines(client: HubspotClient): Promise<CrmPipeline[]> {
  const part = 'the pipelines of deals';
  const path = HUBSPOT_PATHS.pipelines('deals');
  const { body } = await client.call({ operation: 'pipelines', method: 'GET', path, part });
  const { results } = asObject(body);
  if (!Array.isArray(results)) throw unexpected(part);
  return inOrder(results).flatMap((pipeline) => {
    const { id, label, stages } = pipeline;
    if (typeof id !== 'string') return [];
    return [{ value: id, label: asText(label) ?? id, stages: inOrder(asList(stages)).flatMap(toStage) }];
  });
}

function inOrder(items: readonly unknown[]): Readonly<Record<string, unknown>>[] {
  const orderOf = (item: Readonly<Record<string, unknown>>) => Number(item['displayOrder'] ?? 0);
  return items
    .map(asObject)
    .filter(({ archived }) => archived !== true)
    .toSorted((a, b) => orderOf(a) - orderOf(b));
}

function toStage({ id, label }: Readonly<Record<string, unknown>>): CrmPipeline['stages'][number][] {
  return typeof id === 'string' ? [{ value: id, label: asText(label) ?? id }] : [];
}
