import { asList, asObject } from '../http/answer-values.ts';
import { CrmFailure, RETRY } from '../http/http-failure.ts';
import { DIVISIBLE, sendDivided, sendInChunks } from './batches.ts';
import type { HubspotClient, HubspotOperation } from './client.ts';
import { type MissingProperty, missingIn } from './errors.ts';
import { HUBSPOT_PATHS } from './paths.ts';

/** HubSpot records in batches: read, upsert, associate. */

/** One missing record can be the reason for a 404. */
const NAMED_RECORDS = new Set([...DIVISIBLE, 404]);
/** The `idProperty` of records that are named by their ids. */
export const RECORD_ID = 'hs_object_id';

export interface HubspotRecord {
  id: string;
  properties: Readonly<Record<string, unknown>>;
}

export interface RecordsOf {
  operation: HubspotOperation;
  objectType: string;
  /** A property with unique values. */
  idProperty: string;
  /** Names the record in error messages, such as "the contact". */
  part: string;
  /** Default `upsert`. `update`: the ids are those of records, and none is created. `create`: every input becomes a new record. */
  verb?: 'upsert' | 'update' | 'create';
}

export interface UpsertInput {
  id: string;
  properties: Readonly<Record<string, string>>;
  /** Known values that are only written where the account requires them. */
  spare?: Readonly<Record<string, string>>;
  /** Whether HubSpot has no such record yet. Absent: it may have one. */
  isNew?: boolean;
}

/** Returns the records with these values of a unique property, in no order. Missing ones are absent. */
export function readRecords(
  client: HubspotClient,
  { operation, objectType, idProperty, part }: RecordsOf,
  ids: readonly string[],
  properties: readonly string[],
): Promise<HubspotRecord[]> {
  return sendInChunks(ids, async (chunk) => {
    const { body } = await client.call({
      operation,
      method: 'POST',
      path: HUBSPOT_PATHS.readRecords(objectType),
      body: {
        ...(idProperty === RECORD_ID ? {} : { idProperty }),
        ...{ inputs: chunk.map((id) => ({ id })), properties, propertiesWithHistory: [] },
      },
      part,
    });
    return asList(asObject(body)['results']).map((result) => toRecord(result, part));
  });
}

/**
 * Creates or updates records; repeating it creates no further ones.
 *
 * Where a rule of the account requires a property, spare values are added; an input without one fails, and the others are
 * written.
 */
export function upsertRecords(
  client: HubspotClient,
  records: RecordsOf,
  inputs: readonly UpsertInput[],
): Promise<(HubspotRecord | CrmFailure)[]> {
  return sendInChunks(inputs, (chunk) => upsertChunk(client, records, chunk));
}

async function upsertChunk(
  client: HubspotClient,
  records: RecordsOf,
  inputs: readonly UpsertInput[],
): Promise<(HubspotRecord | CrmFailure)[]> {
  const answers = await sendDivided<UpsertInput, HubspotRecord>(
    inputs,
    async (sent) => {
      try {
        return await sendUpsert(client, records, sent);
      } catch (error) {
        return await upsertWithoutIncomplete(client, records, sent, error);
      }
    },
    records.verb === 'update' ? NAMED_RECORDS : DIVISIBLE,
  );
  // When one input alone was refused, the rule concerns that input.
  const completed = inputs.map((input, index) => completeInput(input, missingIn(answers[index])));
  const again = completed.filter((input, index) => input !== null && input !== inputs[index]);
  if (again.length === 0) return answers;
  const better = await upsertRecords(client, records, again.filter(isComplete));
  return answers.map((answer, index) =>
    completed[index] === null || completed[index] === inputs[index] ? answer : (better.shift() ?? answer),
  );
}

const PATHS = {
  upsert: HUBSPOT_PATHS.upsertRecords,
  update: HUBSPOT_PATHS.updateRecords,
  create: HUBSPOT_PATHS.createRecords,
} as const;

async function sendUpsert(
  client: HubspotClient,
  records: RecordsOf,
  sent: readonly UpsertInput[],
): Promise<(HubspotRecord | CrmFailure)[]> {
  const { operation, objectType, idProperty, part, verb = 'upsert' } = records;
  const { body } = await client.call({
    operation,
    method: 'POST',
    path: PATHS[verb](objectType),
    // The trace id comes back with each result and, in a 207, with each error.
    body: {
      inputs: sent.map(({ id, properties }, index) => ({
        ...(verb === 'create'
          ? { properties: { [idProperty]: id, ...properties }, associations: [] }
          : { id, properties, ...(verb === 'update' ? {} : { idProperty }) }),
        objectWriteTraceId: String(index),
      })),
    },
    part,
  });
  const answers = matchAnswers(client, { idProperty, part }, sent, body);
  const open = sent.filter((_, index) => answers[index] === null);
  // A refused input that HubSpot does not name is found by sending the unanswered ones again.
  // One that may have been created is not: the next attempt looks for it.
  const isProgress = verb !== 'create' && (open.length < sent.length || sent.length > 1);
  const rest = open.length > 0 && isProgress ? await upsertHalves(client, records, open) : [];
  return answers.map((answer) => answer ?? rest.shift() ?? unanswered(part));
}

/**
 * A batch that was refused as a whole because some input lacks a property that every new record needs: the new records
 * are completed or fail, and the other inputs are sent again.
 *
 * @throws `refusal` when no input can be completed
 */
async function upsertWithoutIncomplete(
  client: HubspotClient,
  records: RecordsOf,
  sent: readonly UpsertInput[],
  refusal: unknown,
): Promise<(HubspotRecord | CrmFailure)[]> {
  // A rule that depends on a value concerns some inputs only: they are found by dividing the batch.
  const missing = missingIn(refusal).filter(({ because }) => because === null);
  const completed = sent.map((input) => (input.isNew === true ? completeInput(input, missing) : input));
  if (!(refusal instanceof CrmFailure) || completed.every((input, index) => input === sent[index])) throw refusal;
  const answers = await upsertRecords(client, records, completed.filter(isComplete));
  return completed.map((input) => (input === null ? refusal : (answers.shift() ?? refusal)));
}

/**
 * Returns the input with the missing properties; the same object when the input lacks none, null when a missing value
 * is not known.
 */
function completeInput(input: UpsertInput, missing: readonly MissingProperty[]): UpsertInput | null {
  const { properties, spare = {} } = input;
  const names = missing.map(({ property }) => property).filter((name) => !Object.hasOwn(properties, name));
  if (names.length === 0) return input;
  const values = names.flatMap((name) => (spare[name] === undefined ? [] : [[name, spare[name]] as const]));
  return values.length < names.length
    ? null
    : { ...input, properties: { ...properties, ...Object.fromEntries(values) } };
}

function isComplete(input: UpsertInput | null): input is UpsertInput {
  return input !== null;
}

async function upsertHalves(client: HubspotClient, records: RecordsOf, inputs: readonly UpsertInput[]) {
  const middle = Math.ceil(inputs.length / 2);
  const first = await upsertRecords(client, records, inputs.slice(0, middle));
  return [...first, ...(await upsertRecords(client, records, inputs.slice(middle)))];
}

/** Updates records that HubSpot has. One that it no longer has fails with status 404, and can be looked up again. */
export async function updateRecords(
  client: HubspotClient,
  records: Omit<RecordsOf, 'idProperty' | 'verb'>,
  inputs: readonly UpsertInput[],
): Promise<(HubspotRecord | CrmFailure)[]> {
  const answers = await upsertRecords(client, { ...records, idProperty: RECORD_ID, verb: 'update' }, inputs);
  return answers.map(retryMissing);
}

/** Creates a record for each input, also when HubSpot has one with its id already. */
export async function createRecords(
  client: HubspotClient,
  records: RecordsOf,
  inputs: readonly UpsertInput[],
): Promise<(HubspotRecord | CrmFailure)[]> {
  return await upsertRecords(
    client,
    { ...records, verb: 'create' },
    inputs.map((input) => ({ ...input, isNew: true })),
  );
}

/** Returns each input's record or failure, null where the answer has neither. */
function matchAnswers(
  client: HubspotClient,
  { idProperty, part }: Pick<RecordsOf, 'idProperty' | 'part'>,
  sent: readonly UpsertInput[],
  body: unknown,
): (HubspotRecord | CrmFailure | null)[] {
  const results = asList(asObject(body)['results']);
  const errors = asList(asObject(body)['errors']);
  if (sent.length === 1) {
    const answer = results[0] === undefined ? errors[0] : results[0];
    if (answer === undefined) return [null];
    return [results[0] === undefined ? client.itemFailure(part, answer) : toRecord(answer, part)];
  }
  const indexById = new Map(sent.map(({ id }, index) => [id.toLowerCase(), index]));
  const answers = sent.map((): HubspotRecord | CrmFailure | null => null);
  for (const result of results) {
    const { objectWriteTraceId, properties } = asObject(result);
    const id = idProperty === RECORD_ID ? asObject(result)['id'] : asObject(properties)[idProperty];
    const index = toIndex(objectWriteTraceId) ?? indexById.get(typeof id === 'string' ? id.toLowerCase() : '');
    if (index !== undefined) answers[index] = toRecord(result, part);
  }
  for (const error of errors) {
    const { objectWriteTraceId, ids } = asObject(asObject(error)['context']);
    const indexes = [
      ...asList(objectWriteTraceId).map(toIndex),
      ...asList(ids).map((id) => indexById.get(String(id).toLowerCase())),
    ];
    for (const index of indexes) if (index !== undefined) answers[index] ??= client.itemFailure(part, error);
  }
  return answers.slice(0, sent.length);
}

function toIndex(traceId: unknown): number | undefined {
  return typeof traceId === 'string' && /^\d{1,3}$/.test(traceId) ? Number(traceId) : undefined;
}

/**
 * Returns the ids of the records with which each record is associated. More than a page of them is not read.
 *
 * @throws CrmFailure
 */
export async function readAssociated(
  client: HubspotClient,
  { from, to, part }: { from: string; to: string; part: string },
  ids: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const path = HUBSPOT_PATHS.readAssociations(from, to);
  const send = async (asked: readonly string[]): Promise<string[][]> => {
    const inputs = asked.map((id) => ({ id }));
    const { body } = await client.call({
      operation: 'associations_read',
      method: 'POST',
      path,
      body: { inputs },
      part,
    });
    const found = asList(asObject(body)['results']).map(asObject);
    return asked.map((id) => {
      const result = found.find((each) => asObject(each['from'])['id'] === id);
      const linked = asList(result?.['to']).map((target) => String(asObject(target)['toObjectId']));
      return linked.filter((other) => RECORD_ID_FORM.test(other));
    });
  };
  const answers = await sendDivided<string, readonly string[]>(ids, send, NAMED_RECORDS);
  return new Map(
    answers.map((answer, index) => {
      // A record without associations is absent, or an error of a 207. It could also be a 404.
      const isNone = answer instanceof CrmFailure && answer.error.httpStatus === 404;
      if (answer instanceof CrmFailure && !isNone) throw answer;
      return [ids[index] ?? '', answer instanceof CrmFailure ? [] : answer] as const;
    }),
  );
}

/** Ids are strings of digits; a path must not contain anything else. */
const RECORD_ID_FORM = /^\d{1,30}$/;

export interface Association {
  fromId: string;
  toId: string;
}

/**
 * Sets default associations. Repeating it changes nothing.
 *
 * @returns one null or failure per association, in order
 */
export async function associateRecords(
  client: HubspotClient,
  { from, to, part }: { from: string; to: string; part: string },
  associations: readonly Association[],
): Promise<(null | CrmFailure)[]> {
  const path = HUBSPOT_PATHS.associateRecords(from, to);
  const send = async (sent: readonly Association[]): Promise<(null | CrmFailure)[]> => {
    const inputs = sent.map(({ fromId, toId }) => ({ from: { id: fromId }, to: { id: toId } }));
    const { body } = await client.call({ operation: 'associate', method: 'POST', path, body: { inputs }, part });
    const { results, errors } = asObject(body);
    const [firstError] = asList(errors);
    if (firstError === undefined) return sent.map(() => null);
    const made = new Set(asList(results).map(toPair));
    return sent.map(({ fromId, toId }) => {
      if (made.has(`${fromId}/${toId}`) || made.has(`${toId}/${fromId}`)) return null;
      const named = asList(errors).find((error) => namesAssociation(error, { fromId, toId }));
      return client.itemFailure(part, named ?? firstError);
    });
  };
  const answers = await sendDivided(associations, send, NAMED_RECORDS);
  return answers.map(retryMissing);
}

/** The record existed a moment ago: it was merged or deleted since, or is not visible yet. The next attempt checks again. */
function retryMissing<Answer>(answer: Answer | CrmFailure): Answer | CrmFailure {
  const isMissing = answer instanceof CrmFailure && answer.error.httpStatus === 404;
  return isMissing ? new CrmFailure(answer.error, RETRY) : answer;
}

function toPair(result: unknown): string {
  const { from, to } = asObject(result);
  return `${String(asObject(from)['id'])}/${String(asObject(to)['id'])}`;
}

function namesAssociation(error: unknown, { fromId, toId }: Association): boolean {
  const named = new Set(
    Object.values(asObject(asObject(error)['context']))
      .flatMap(asList)
      .map(String),
  );
  return named.has(fromId) && named.has(toId);
}

function toRecord(value: unknown, part: string): HubspotRecord {
  const { id, properties } = asObject(value);
  if (typeof id !== 'string' || !RECORD_ID_FORM.test(id)) throw unanswered(part);
  return { id, properties: asObject(properties) };
}

function unanswered(part: string): CrmFailure {
  const message = `HubSpot's answer to ${part} has no id`;
  return new CrmFailure({ code: 'unexpected_answer', message, httpStatus: null }, RETRY);
}
