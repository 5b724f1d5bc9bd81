import { dealNameOf, type PlannedDeal } from '@svc/domain/policy/outcomes';
import { asObject } from '../http/answer-values.ts';
import { truncateText } from '../events/text-limits.ts';
import type { CrmWrite } from '../port/types.ts';
import { asId, readPages, unexpected } from './client.ts';
import { createWithOptional, findPersonOwner } from './owners.ts';
import type { Person } from './persons.ts';
import { findStage } from './pipelines.ts';
import {
  createOnce,
  once,
  type PipedriveSession,
  toRecord,
  toSince,
  tryOptionalPart,
  type Warnings,
} from './session.ts';

/**
 * Deals of a person: at most one is made per person and pipeline, and the one open deal is found for entries of the timeline.
 *
 * Pipedrive has no unique fields, so a deal that was made is remembered for good, as the intention to make one is (`createOnce`).
 */

const PART = 'the deal';
const TITLE_MAX = 255;

/** Makes the deal, unless the person has an open one in the pipeline, or had one made before. @throws CrmFailure */
export async function ensureDeal(
  session: PipedriveSession,
  write: CrmWrite,
  person: Person,
  planned: PlannedDeal,
  warnings: Warnings,
): Promise<void> {
  const found = await findStage(session, planned);
  if (found === null) {
    const pipeline = planned.pipeline === null ? 'the first pipeline' : `the pipeline "${planned.pipeline}"`;
    const message = `Pipedrive shows no stage "${planned.stage}" of ${pipeline} to the user of the token`;
    warnings.push({ code: 'unknown_stage', message, httpStatus: null });
    return;
  }
  // The events of two addresses of one person are written at the same time.
  const key = dealIdentity(person, found.pipelineId);
  await once(session, key, () => makeDeal(session, write, person, { planned, ...found }, warnings));
}

function dealIdentity({ id }: Person, pipelineId: number): string {
  return `deal:${id}:${pipelineId}`;
}

async function makeDeal(
  session: PipedriveSession,
  write: CrmWrite,
  person: Person,
  { planned, pipelineId, stageId }: { planned: PlannedDeal; pipelineId: number; stageId: number },
  warnings: Warnings,
): Promise<void> {
  const identity = dealIdentity(person, pipelineId);
  await session.records.load([identity]);
  if (session.records.get(identity) !== null) return;
  const ofPipeline = `person_id=${person.id}&pipeline_id=${pipelineId}`;
  const isPending = session.records.pendingSince(identity) !== null;
  if (!isPending && (await listDeals(session, `${ofPipeline}&status=open&limit=1`)).length > 0) return;
  await createOnce(session, {
    identity,
    recordType: 'deal',
    find: async (since) =>
      (await listDeals(session, `${ofPipeline}&updated_since=${toSince(since)}&limit=1`))[0] ?? null,
    create: async () => {
      const ownerId = (await findPersonOwner(session, write.plan, warnings)) ?? person.ownerId;
      const title = truncateText(dealNameOf(planned, write.event), TITLE_MAX);
      const body = { title, person_id: person.id, pipeline_id: pipelineId, stage_id: stageId };
      const optional = {
        ...(ownerId === null ? {} : { owner_id: ownerId }),
        ...(person.organizationId === null ? {} : { org_id: person.organizationId }),
      };
      return createWithOptional(optional, warnings, (more) => createDeal(session, { ...body, ...more }));
    },
    toRecords: (id) => [toRecord(identity, 'deal', String(id), session.now())],
  });
  session.lookUps.delete(openDeals(person));
}

/** Returns the id of the person's open deal when there is exactly one, for an entry that also stands on it; else null. */
export async function findOnlyDeal(
  session: PipedriveSession,
  { plan }: CrmWrite,
  person: Person,
  warnings: Warnings,
): Promise<number | null> {
  if (!plan.associations.deal) return null;
  const ids = await tryOptionalPart(warnings, () =>
    once(session, openDeals(person), () => listDeals(session, `person_id=${person.id}&status=open&limit=2`)),
  );
  return ids?.length === 1 ? (ids[0] ?? null) : null;
}

/** Returns the ids of one page of deals. */
async function listDeals(session: PipedriveSession, query: string): Promise<number[]> {
  const call = { operation: 'deals_read', path: `/api/v2/deals?${query}`, part: 'the deals of the person' } as const;
  for await (const { items } of readPages(session.client, call)) {
    return items.flatMap((item) => asId(asObject(item)['id']) ?? []);
  }
  return [];
}

async function createDeal(session: PipedriveSession, body: object): Promise<number> {
  const call = { operation: 'deals_write', method: 'POST', path: '/api/v2/deals', kind: 'write' } as const;
  const id = asId(asObject((await session.client.call({ ...call, body, part: PART })).data)['id']);
  if (id === null) throw unexpected(PART);
  return id;
}

function openDeals({ id }: Person): string {
  return `open-deals:${id}`;
}
