import { dealNameOf, type PlannedDeal } from '@svc/domain/policy/outcomes';
import { findOption } from '../events/field-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmOption } from '../port/setup.ts';
import type { CrmError } from '../port/types.ts';
import { type BatchContact, type EventWrite, failOptionalPart, isOpen } from './event-write.ts';
import { type OwnedInput, upsertWithOwners } from './owned-records.ts';
import { readPipelines } from './pipelines.ts';
import { associateRecords, readAssociated, readRecords, RECORD_ID, type RecordsOf } from './records.ts';
import { ensureOwnProperty, type HubspotSession, recheckProperties } from './session.ts';

/**
 * Makes the deals of outcomes: one per contact and pipeline, also when the event is repeated and when two processes write at once. None is
 * made when the contact has an open deal in the pipeline, or when we made one there before. The key is a unique property of our own.
 */

const DEALS = { objectType: 'deals', part: 'the deal' } as const;
const KEY = 'svc_deal_key';
const CREATED = 'createdate';
/** Longer than a process that lost its connection to another one goes on writing. */
const RECENT_MS = 10 * 60 * 1000;

/** A deal that events of a contact ask for. */
interface Wish {
  key: string;
  contact: BatchContact;
  contactId: string;
  pipelineId: string;
  stageId: string;
  deal: PlannedDeal;
  /** The first one says what the deal is like. */
  events: [EventWrite, ...EventWrite[]];
}

export async function writeDeals(
  session: HubspotSession,
  events: readonly EventWrite[],
  ownerOf: (event: EventWrite) => Promise<string | null>,
): Promise<void> {
  const asking = events.filter(({ write }) => (write.plan.outcomes?.deals.length ?? 0) > 0);
  if (asking.length === 0) return;
  const wishes = await listWishes(session, asking);
  const contacts = await findDeals(session, wishes);
  const open = wishes.filter(({ events: [first] }) => isOpen(first));
  const made = open.filter(({ key }) => !contacts.keys.has(key) && !contacts.taken.has(key));
  const inputs: OwnedInput[] = [];
  for (const {
    key,
    pipelineId,
    stageId,
    deal,
    events: [first],
  } of made) {
    const properties = { dealname: dealNameOf(deal, first.write.event), pipeline: pipelineId, dealstage: stageId };
    inputs.push({ id: key, properties, isNew: true, ownerId: await ownerOf(first) });
  }
  const records = { ...DEALS, operation: 'deals_upsert', idProperty: KEY } as const;
  const answers = await upsertWithOwners(session, records, inputs, (index, { error }) => {
    made[index]?.events[0].warnings.push(error);
  });
  const associated = made.flatMap((wish, index) => {
    const answer = answers[index];
    if (answer instanceof CrmFailure) failAll(wish, answer);
    return answer === undefined || answer instanceof CrmFailure ? [] : [{ wish, dealId: answer.id }];
  });
  // An earlier attempt, or another process a moment ago, may have ended before its deal was associated.
  for (const wish of open) {
    const deal = contacts.keys.get(wish.key);
    const isOurs = deal !== undefined && (deal.isRecent || wish.events.some(({ write }) => write.isRepeated));
    if (isOurs) associated.push({ wish, dealId: deal.id });
  }
  const results = await associateRecords(
    session.client,
    { from: 'deals', to: 'contacts', part: 'the association with the deal' },
    associated.map(({ wish, dealId }) => ({ fromId: dealId, toId: wish.contactId })),
  );
  for (const [index, { wish }] of associated.entries()) {
    const failure = results[index];
    if (failure instanceof CrmFailure) failAll(wish, failure);
  }
}

function failAll({ events }: Wish, failure: CrmFailure): void {
  for (const event of events) failOptionalPart(event, failure);
}

async function listWishes(session: HubspotSession, events: readonly EventWrite[]): Promise<Wish[]> {
  const wishes = new Map<string, Wish>();
  for (const event of events) {
    const { contact } = event;
    for (const deal of event.write.plan.outcomes?.deals ?? []) {
      const place = await findPlace(session, event, deal);
      if (place === null || contact === null || contact.id === null) continue;
      const key = `${contact.id}/${place.pipelineId}`;
      const known = wishes.get(key);
      if (known === undefined)
        wishes.set(key, { key, contact, contactId: contact.id, ...place, deal, events: [event] });
      else known.events.push(event);
    }
  }
  return [...wishes.values()];
}

/** Returns the pipeline and the stage that a plan names; null when HubSpot does not have them. */
async function findPlace(
  session: HubspotSession,
  event: EventWrite,
  { pipeline, stage }: PlannedDeal,
): Promise<{ pipelineId: string; stageId: string } | null> {
  const { caches, accountKey, client } = session;
  try {
    // Also a refusal is shared by the events of the batch.
    session.pipelines ??= caches.pipelines.get(accountKey, () => readPipelines(client));
    const pipelines = await session.pipelines;
    const wanted = pipeline === null ? pipelines[0]?.value : findOption(pipelines, pipeline);
    const found = pipelines.find(({ value }) => value === wanted);
    const stageId = found === undefined ? null : findOption(found.stages, stage);
    if (found !== undefined && stageId !== null) return { pipelineId: found.value, stageId };
    event.warnings.push(missing(found));
  } catch (error) {
    if (!(error instanceof CrmFailure)) throw error;
    failOptionalPart(event, error);
  }
  return null;
}

function missing(pipeline: CrmOption | undefined): CrmError {
  return pipeline === undefined
    ? { code: 'no_such_pipeline', message: 'HubSpot has no pipeline of deals of this name', httpStatus: null }
    : {
        code: 'no_such_stage',
        message: `HubSpot's pipeline ${pipeline.label} has no stage of this name`,
        httpStatus: null,
      };
}

interface FoundDeals {
  /** The deals that we made, by key. */
  keys: Map<string, { id: string; isRecent: boolean }>;
  /** Keys of the wishes whose contact has an open deal in the pipeline. */
  taken: Set<string>;
}

async function findDeals(session: HubspotSession, wishes: readonly Wish[]): Promise<FoundDeals> {
  const found: FoundDeals = { keys: new Map(), taken: new Set() };
  if (wishes.length === 0) return found;
  const unique = await ensureOwnProperty(session, DEALS.objectType, KEY);
  if (unique !== null) for (const wish of wishes) failAll(wish, unique);
  if (unique !== null) return { ...found, taken: new Set(wishes.map(({ key }) => key)) };
  try {
    const client = recheckProperties(session, DEALS.objectType, [KEY]);
    const records: RecordsOf = { ...DEALS, operation: 'deals_read', idProperty: KEY };
    const keys = wishes.map(({ key }) => key);
    for (const { id, properties } of await readRecords(client, records, keys, [KEY, CREATED])) {
      const key = keys.find((each) => each.toLowerCase() === String(properties[KEY]).toLowerCase());
      const isRecent = Date.parse(String(properties[CREATED])) > session.now.getTime() - RECENT_MS;
      if (key !== undefined) found.keys.set(key, { id, isRecent });
    }
    const rest = wishes.filter(({ key }) => !found.keys.has(key));
    const open = await readOpenDeals(session, [...new Set(rest.map(({ contactId }) => contactId))]);
    for (const { key, contactId, pipelineId } of rest) {
      if (open.get(contactId)?.some((deal) => deal.pipelineId === pipelineId)) found.taken.add(key);
    }
    return found;
  } catch (error) {
    if (!(error instanceof CrmFailure)) throw error;
    for (const wish of wishes) failAll(wish, error);
    return { keys: new Map(), taken: new Set(wishes.map(({ key }) => key)) };
  }
}

export interface OpenDeal {
  id: string;
  pipelineId: string;
}

/** Returns the open deals of contacts by contact. @throws CrmFailure */
export async function readOpenDeals(
  session: HubspotSession,
  contactIds: readonly string[],
): Promise<Map<string, OpenDeal[]>> {
  if (contactIds.length === 0) return new Map();
  const ends = { from: 'contacts', to: 'deals', part: 'the deals of the contact' };
  const linked = await readAssociated(session.client, ends, contactIds);
  const ids = [...new Set([...linked.values()].flat())];
  const records: RecordsOf = { ...DEALS, operation: 'deals_read', idProperty: RECORD_ID };
  const deals = new Map<string, OpenDeal>();
  for (const { id, properties } of await readRecords(session.client, records, ids, ['pipeline', 'hs_is_closed'])) {
    if (properties['hs_is_closed'] !== 'true') deals.set(id, { id, pipelineId: String(properties['pipeline']) });
  }
  return new Map([...linked].map(([contactId, of]) => [contactId, of.flatMap((id) => deals.get(id) ?? [])]));
}
