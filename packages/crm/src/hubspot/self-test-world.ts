import type { OutcomePlan } from '@svc/domain/policy/outcomes';
import { NotTested, selfTestEmail, selfTestWrite } from '../events/self-test.ts';
import { asList, asObject } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { SelfTestInput } from '../port/setup.ts';
import type { CrmAccess, CrmOutcome, CrmWrite } from '../port/types.ts';
import { memoryRecords } from '../records/memory-records.ts';
import { createHubspotClient, type HubspotAnswer, type HubspotClient, type HubspotClientOptions } from './client.ts';
import { toUniqueKey } from './engagements.ts';
import { HUBSPOT_PATHS } from './paths.ts';

/** What a self-test has written to HubSpot through the connector, for its statements to look at. */

const DAY_MS = 24 * 60 * 60 * 1000;

export const ACTIVITY_TYPES = ['emails', 'notes', 'communications', 'calls', 'tasks'] as const;
export type ActivityType = (typeof ACTIVITY_TYPES)[number];

export interface SelfTestWorld {
  input: SelfTestInput;
  client: HubspotClient;
  contactId: string;
  email: string;
  profileUrl: string;
  eventAt: Date;
  /** The value of `svc_event_key` of an activity of each type. */
  keys: Readonly<Record<ActivityType, string>>;
  /** A contact that was made and archived. */
  goneId: string;
  /** For each answer to a search: whether its headers say what is left. */
  searches: boolean[];
  /** Everything that was made, by type. */
  made: Map<string, Set<string>>;
  write: (key: string, changes: object, more?: Parameters<typeof selfTestWrite>[3]) => Promise<CrmOutcome>;
}

export const NO_OUTCOMES: OutcomePlan = {
  ...{ leadStatus: null, lifecycleStage: null },
  ...{ campaigns: [], lists: [], deals: [], tasks: [] },
};

/**
 * @param made gets what is made, so that it can be removed also when this fails
 * @throws NotTested when the contact cannot be written
 */
export async function makeSelfTestWorld(
  calls: HubspotClientOptions,
  input: SelfTestInput,
  made: SelfTestWorld['made'],
): Promise<SelfTestWorld> {
  const searches: boolean[] = [];
  const access = withLog(input.access, searches);
  const client = createHubspotClient(calls, access, []);
  const eventAt = new Date(Math.floor(calls.now().getTime() / 60_000) * 60_000 - 30 * DAY_MS);
  const profileUrl = `https://selftest.example.com/in/${input.randomId}`;
  const { organizationId, connector, randomId } = input;
  const records = memoryRecords();
  const writeAll = (events: readonly CrmWrite[]) => connector.writeEvents({ access, organizationId, records, events });
  const toWrite = (key: string, changes: object, more: Parameters<typeof selfTestWrite>[3] = {}) =>
    selfTestWrite(randomId, key, { occurredAt: eventAt, ...changes, contact: { profileUrl } }, more);

  const events = [
    toWrite('sent', { eventType: 'EMAIL_SENT' }),
    toWrite('opened', { eventType: 'EMAIL_OPEN' }),
    toWrite('message', { eventType: 'MESSAGE_SENT' }),
    toWrite('call', { eventType: 'CALL_COMPLETED' }),
    toWrite('reply', { eventType: 'EMAIL_REPLY' }, { writes: { task: true } }),
  ];
  const outcomes = await writeAll(events);
  for (const [index, type] of (['emails', 'notes', 'communications', 'calls', 'emails'] as const).entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined || outcome.status === 'error') continue;
    remember(made, 'contacts', outcome.contactId);
    remember(made, type, outcome.engagementId);
  }
  const [first] = outcomes;
  if (first === undefined || first.status === 'error' || first.contactId === null) {
    await rememberParts(client, selfTestEmail(randomId), made);
    throw new NotTested(first?.status === 'error' ? first.error.message : 'no contact was made');
  }
  const keyOf = (index: number) => toUniqueKey(events[index]?.idempotencyKey ?? '');
  const keys = { emails: keyOf(0), notes: keyOf(1), communications: keyOf(2), calls: keyOf(3), tasks: keyOf(4) };
  for (const taskId of await associatedIds(client, first.contactId, 'tasks')) remember(made, 'tasks', taskId);

  const goneEmail = `svc-selftest-gone-${randomId}@selftest.example.com`;
  const gone = await client.call({
    ...{ operation: 'self_test', method: 'POST', part: 'a second contact' },
    ...{ path: HUBSPOT_PATHS.createRecords('contacts') },
    body: { inputs: [{ properties: { email: goneEmail }, associations: [], objectWriteTraceId: '0' }] },
  });
  const [goneId = ''] = idsIn(gone);
  remember(made, 'contacts', goneId);
  await archive(client, 'contacts', [goneId]);
  return {
    ...{ input, client, eventAt, profileUrl, keys, goneId, searches, made },
    contactId: first.contactId,
    email: selfTestEmail(randomId),
    write: async (key, changes, more) => {
      const [outcome] = await writeAll([toWrite(key, changes, more)]);
      if (outcome === undefined) throw new NotTested('the connector returned no outcome');
      if (outcome.status !== 'error') remember(made, 'emails', outcome.engagementId);
      return outcome;
    },
  };
}

/** What was written of an event that failed is removed as well. */
async function rememberParts(client: HubspotClient, email: string, made: SelfTestWorld['made']): Promise<void> {
  const contacts = await readByIds(client, 'contacts', [email], ['email'], 'email').catch(() => []);
  for (const { id } of contacts) {
    remember(made, 'contacts', id);
    for (const type of ACTIVITY_TYPES) {
      for (const other of await associatedIds(client, id, type).catch(() => [])) remember(made, type, other);
    }
  }
}

export function remember(made: SelfTestWorld['made'], type: string, id: string | null): void {
  if (id !== null && id !== '') made.set(type, (made.get(type) ?? new Set()).add(id));
}

/** Archives what was made. @returns the types of which HubSpot still shows something */
export async function cleanUp(client: HubspotClient, made: SelfTestWorld['made']): Promise<string[]> {
  const left: string[] = [];
  for (const [type, ids] of made) {
    if (ids.size === 0) continue;
    try {
      if (type === 'lists') for (const id of ids) await deleteList(client, id);
      else await archive(client, type, [...ids]);
      const isShown = type !== 'lists' && (await readByIds(client, type, [...ids], ['hs_object_id'])).length > 0;
      if (isShown) left.push(type);
      else made.delete(type);
    } catch (error) {
      if (!(error instanceof CrmFailure)) throw error;
      left.push(type);
    }
  }
  return left;
}

async function archive(client: HubspotClient, type: string, ids: readonly string[]): Promise<void> {
  await client.call({
    ...{ operation: 'self_test', method: 'POST', part: `the ${type} of the test`, accept: [204] },
    path: HUBSPOT_PATHS.archiveRecords(type),
    body: { inputs: ids.map((id) => ({ id })) },
  });
}

async function deleteList(client: HubspotClient, id: string): Promise<void> {
  const path = HUBSPOT_PATHS.list(id);
  await client.call({ operation: 'self_test', method: 'DELETE', part: 'the list of the test', path, accept: [204] });
}

/** Posts to HubSpot. @param accept statuses that are looked at, besides those of success */
export async function post(
  client: HubspotClient,
  path: string,
  body: unknown,
  accept: readonly number[] = [],
): Promise<HubspotAnswer> {
  return await client.call({ operation: 'self_test', method: 'POST', part: path, path, body, accept });
}

export interface ShownRecord {
  id: string;
  properties: Readonly<Record<string, unknown>>;
}

export async function readByIds(
  client: HubspotClient,
  type: string,
  ids: readonly string[],
  properties: readonly string[],
  idProperty?: string,
): Promise<ShownRecord[]> {
  const inputs = ids.map((id) => ({ id }));
  const body = { ...(idProperty === undefined ? {} : { idProperty }), inputs, properties, propertiesWithHistory: [] };
  const answer = await post(client, HUBSPOT_PATHS.readRecords(type), body, [404]);
  return asList(asObject(answer.body)['results']).map((result) => {
    const { id, properties: shown } = asObject(result);
    return { id: String(id), properties: asObject(shown) };
  });
}

/** Returns the ids of the records with which the contact is associated. */
export async function associatedIds(client: HubspotClient, contactId: string, to: string): Promise<string[]> {
  const path = HUBSPOT_PATHS.readAssociations('contacts', to);
  const { body } = await post(client, path, { inputs: [{ id: contactId }] }, [404]);
  const targets = asList(asObject(body)['results']).flatMap((result) => asList(asObject(result)['to']));
  return targets.map((target) => String(asObject(target)['toObjectId']));
}

export function idsIn({ body }: HubspotAnswer): string[] {
  return asList(asObject(body)['results']).map((result) => String(asObject(result)['id']));
}

export function errorsIn({ body }: HubspotAnswer): Readonly<Record<string, unknown>>[] {
  return asList(asObject(body)['errors']).map(asObject);
}

function withLog(access: CrmAccess, searches: boolean[]): CrmAccess {
  const { quota } = access;
  return {
    ...access,
    quota: {
      take: (call) => quota.take(call),
      report: async (call, report) => {
        const isSearch = call.bucket === 'search' && report.httpStatus !== null && report.httpStatus < 300;
        if (isSearch) searches.push(report.window !== undefined || report.daily !== undefined);
        await quota.report(call, report);
      },
    },
  };
}
