import type { Answer } from '../http/answer.ts';
import type { PipedriveAccount, SimulatedDeal } from './account.ts';
import { page, Refusal, single } from './answer.ts';
import type { PersonRules } from './persons.ts';
import { listRecords } from './records.ts';
import { asId, asObject, assertKeys, asText, type Json, pathId, queryNumber } from './requests.ts';

/** `/api/v2/deals`, and the pipelines with their stages, which only an admin changes. */

const WRITABLE = ['title', 'owner_id', 'person_id', 'org_id', 'pipeline_id', 'stage_id', 'status', 'custom_fields'];

export function createDeal({ account, userId }: PersonRules, body: unknown): Answer {
  const now = account.time();
  const [pipeline] = account.pipelines;
  const deal: SimulatedDeal = {
    id: 0,
    title: '',
    owner_id: userId,
    person_id: null,
    org_id: null,
    pipeline_id: pipeline?.id ?? 0,
    stage_id: pipeline?.stages[0]?.id ?? 0,
    status: 'open',
    is_deleted: false,
    add_time: now,
    update_time: now,
  };
  const input = readInput(body);
  asText(input['title'], 'title');
  apply(account, deal, input);
  deal.id = account.nextId();
  account.deals.set(deal.id, deal);
  return single(toResource(deal));
}

export function updateDeal(account: PipedriveAccount, segment: string, body: unknown): Answer {
  const deal = findDeal(account, segment);
  apply(account, deal, readInput(body));
  deal.update_time = account.time();
  return single(toResource(deal));
}

export function readDeal(account: PipedriveAccount, segment: string): Answer {
  return single(toResource(findDeal(account, segment)));
}

export function deleteDeal(account: PipedriveAccount, segment: string): Answer {
  const deal = findDeal(account, segment);
  deal.is_deleted = true;
  return single({ id: deal.id });
}

export function listDeals(account: PipedriveAccount, query: URLSearchParams): Answer {
  const wanted = (['person_id', 'org_id', 'pipeline_id', 'stage_id', 'owner_id'] as const).map(
    (name) => [name, queryNumber(query, name)] as const,
  );
  const statuses = query.get('status')?.split(',');
  return listRecords({
    all: account.deals,
    query,
    filter: null,
    matches: (deal) =>
      !account.isBroken('pipedrive-10') &&
      wanted.every(([name, value]) => value === null || deal[name] === value) &&
      statuses?.includes(deal.status) !== false,
    toResource,
  });
}

export function listPipelines(account: PipedriveAccount, _query: URLSearchParams): Answer {
  const pipelines = account.pipelines.map(({ id, name }, index) => ({
    ...{ id, name, order_nr: index, is_deleted: false, is_deal_probability_enabled: true },
    ...{ add_time: account.time(), update_time: account.time() },
  }));
  return page(pipelines, null);
}

export function listStages(account: PipedriveAccount, query: URLSearchParams): Answer {
  const pipelineId = queryNumber(query, 'pipeline_id');
  const stages = account.pipelines.flatMap((pipeline) =>
    pipeline.stages.map(({ id, name }, index) => ({
      ...{ id, name, order_nr: index, pipeline_id: pipeline.id, is_deleted: false, deal_probability: 100 },
      ...{ is_deal_rot_enabled: false, days_to_rotten: null, add_time: account.time(), update_time: account.time() },
    })),
  );
  return page(
    stages.filter((stage) => pipelineId === null || stage.pipeline_id === pipelineId),
    null,
  );
}

function readInput(body: unknown): Json {
  const input = asObject(body);
  assertKeys(input, WRITABLE);
  return input;
}

/** Validates everything before it changes anything. A stage decides the pipeline. */
function apply(account: PipedriveAccount, deal: SimulatedDeal, input: Json): void {
  const next = { ...deal };
  if (input['title'] !== undefined) next.title = asText(input['title'], 'title');
  if (input['owner_id'] !== undefined) {
    next.owner_id = asId(input['owner_id'], 'owner_id');
    account.assertOwner(next.owner_id);
  }
  if (input['person_id'] !== undefined) {
    next.person_id = asId(input['person_id'], 'person_id');
    if (account.persons.get(next.person_id)?.is_deleted !== false) throw new Refusal(404, 'Person not found');
  }
  if (input['org_id'] !== undefined) {
    next.org_id = asId(input['org_id'], 'org_id');
    if (account.organizations.get(next.org_id)?.is_deleted !== false) throw new Refusal(404, 'Organization not found');
  }
  if (input['stage_id'] !== undefined) {
    const stageId = asId(input['stage_id'], 'stage_id');
    const pipeline = account.pipelines.find(({ stages }) => stages.some(({ id }) => id === stageId));
    if (pipeline === undefined) throw new Refusal(400, 'Validation failed: stage_id: stage is not found');
    if (input['pipeline_id'] !== undefined && input['pipeline_id'] !== pipeline.id) {
      throw new Refusal(400, 'Validation failed: stage_id: stage is not in the pipeline');
    }
    Object.assign(next, { pipeline_id: pipeline.id, stage_id: stageId });
  }
  const { status } = input;
  if (status === 'open' || status === 'won' || status === 'lost') next.status = status;
  Object.assign(deal, next);
}

function findDeal(account: PipedriveAccount, segment: string): SimulatedDeal {
  const deal = account.deals.get(pathId(segment, 'Deal'));
  if (deal === undefined || deal.is_deleted) throw new Refusal(404, 'Deal not found');
  return deal;
}

function toResource(deal: SimulatedDeal): Json {
  return { ...deal, creator_user_id: deal.owner_id, value: 0, currency: 'EUR', label_ids: [], custom_fields: {} };
}
