import { LAST_VALUE_NAMES } from '@svc/domain/policy/last-values';
import { asList, asObject } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import { NotTested, selfTestWrite } from '../events/self-test.ts';
import type { SelfTestInput } from '../port/setup.ts';
import type { CrmAccess, CrmOutcome, CrmWrite } from '../port/types.ts';
import { memoryRecords } from '../records/memory-records.ts';
import {
  asId,
  createPipedriveClient,
  type PipedriveCall,
  type PipedriveClient,
  type PipedriveClientOptions,
} from './client.ts';
import { isLabelField, listPersonFields, type PersonField } from './person-fields.ts';
import { lastValueFieldName } from './person-values.ts';
import { listPipelines } from './pipelines.ts';
import { OWN_FIELDS } from './settings.ts';
import { CLOCK_SKEW_MS, toSince } from './session.ts';

/** What a self-test has written to Pipedrive through the connector, for its statements to look at. */

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longer than what the connector sends at most. */
const LONG_TEXT = 'Self-test. '.repeat(6_000);

export interface SelfTestWorld {
  input: SelfTestInput;
  client: PipedriveClient;
  personId: number;
  profileUrl: string | null;
  /** Moment of the events, thirty days ago. */
  eventAt: Date;
  /** `updated_since` of the lists that must show the new records. */
  since: string;
  outcomes: Record<
    'activity' | 'note' | 'longActivity' | 'longNote' | 'lastValues' | 'label' | 'deal',
    CrmOutcome | null
  >;
  fields: readonly PersonField[];
  label: { id: number; label: string } | null;
  pipelineId: number | null;
  /** What each call cost, and what was left of the day after it; null: between two calls something else happened. */
  spent: ({ cost: number; remaining: number } | null)[];
  /** Paths of what was made besides. */
  made: string[];
}

/** @throws NotTested when the person cannot be written */
export async function makeSelfTestWorld(calls: PipedriveClientOptions, input: SelfTestInput): Promise<SelfTestWorld> {
  const spent: SelfTestWorld['spent'] = [];
  const access = withLog(input.access, spent);
  const client = createPipedriveClient(calls, access, []);
  const since = toSince(new Date(calls.now().getTime() - CLOCK_SKEW_MS));
  const eventAt = new Date(Math.floor(calls.now().getTime() / 60_000) * 60_000 - 30 * DAY_MS);
  const fields = await listPersonFields(client);
  const [pipeline] = await listPipelines(client).catch((error: unknown) => {
    if (error instanceof CrmFailure && error.isRefusal) return [];
    throw error;
  });
  const label = fields.find(isLabelField)?.options[0] ?? null;
  const isKnown = (name: string) => fields.some((field) => field.isCustom && field.name === name);
  const profileUrl = isKnown(OWN_FIELDS.profileUrl.name) ? `https://selftest.example.com/in/${input.randomId}` : null;
  const stage = pipeline?.stages[0];

  const records = memoryRecords();
  const write = async (event: CrmWrite): Promise<CrmOutcome> => {
    const { organizationId, connector } = input;
    const [outcome] = await connector.writeEvents({ access, organizationId, records, events: [event] });
    if (outcome === undefined) throw new NotTested('the connector returned no outcome');
    return outcome;
  };
  const event = (key: string, changes: object, more: Parameters<typeof selfTestWrite>[3] = {}) =>
    selfTestWrite(input.randomId, key, { occurredAt: eventAt, ...changes }, more);
  const NOTHING = { writes: { timeline: false } };
  const plan = { leadStatus: null, lifecycleStage: null, campaigns: [], lists: [], deals: [], tasks: [] };

  const activity = await write(event('activity', { contact: { profileUrl } }));
  if (activity.status === 'error' || activity.contactId === null) {
    throw new NotTested(activity.status === 'success' ? 'no person was made' : activity.error.message);
  }
  const isPrepared = LAST_VALUE_NAMES.every((name) => isKnown(lastValueFieldName(name)));
  const deal = stage && { pipeline: String(pipeline.id), stage: String(stage.id), name: `Self-test ${input.randomId}` };
  const lastValues = { lastSentAt: eventAt.getTime(), lastSentSubject: 'Self-test', sentCount: 7 };
  return {
    ...{
      input,
      client,
      personId: Number(activity.contactId),
      profileUrl,
      eventAt,
      since,
      fields,
      label,
      spent,
      made: [],
    },
    pipelineId: stage === undefined ? null : (pipeline?.id ?? null),
    outcomes: {
      activity,
      note: await write(event('note', { eventType: 'EMAIL_OPEN' })),
      longActivity: await write(event('long activity', { bodyText: LONG_TEXT })),
      longNote: await write(event('long note', { eventType: 'MESSAGE_SENT', bodyText: LONG_TEXT })),
      lastValues: isPrepared ? await write(event('last values', {}, { ...NOTHING, lastValues })) : null,
      label:
        label === null
          ? null
          : await write(event('label', {}, { ...NOTHING, outcomes: { ...plan, leadStatus: String(label.id) } })),
      deal:
        deal === undefined
          ? null
          : await write(event('deal', {}, { ...NOTHING, outcomes: { ...plan, deals: [deal] } })),
    },
  };
}

/** Deletes what was made. @returns the paths of what Pipedrive does not delete */
export async function cleanUp({ client, personId, outcomes, pipelineId, made }: SelfTestWorld): Promise<string[]> {
  const idOf = (outcome: CrmOutcome | null) => (outcome?.status === 'error' ? null : (outcome?.engagementId ?? null));
  const paths = (prefix: string, ...ids: (string | null)[]) =>
    ids.flatMap((id) => (id === null ? [] : `${prefix}/${id}`));
  const deals = pipelineId === null ? [] : await dealIds(client, personId).catch(() => []);
  const all = [
    ...paths('/api/v2/activities', idOf(outcomes.activity), idOf(outcomes.longActivity)),
    ...paths('/api/v1/notes', idOf(outcomes.note), idOf(outcomes.longNote)),
    ...paths('/api/v2/deals', ...deals.map(String)),
    ...made,
    `/api/v2/persons/${personId}`,
  ];
  const left: string[] = [];
  for (const path of all) {
    const call = { operation: 'self_test', method: 'DELETE', kind: 'delete', path, part: path } as const;
    const isDeleted = await client.call({ ...call, accept: [404, 410] }).then(
      () => true,
      () => false,
    );
    if (!isDeleted) left.push(path);
  }
  return left;
}

export async function dealIds(client: PipedriveClient, personId: number): Promise<number[]> {
  return idsOf(await read(client, `/api/v2/deals?person_id=${personId}&status=open&limit=100`, 'list'));
}

/** Returns `data` of an answer. */
export async function read(
  client: PipedriveClient,
  path: string,
  kind: PipedriveCall['kind'] = 'get',
): Promise<unknown> {
  return (await client.call({ operation: 'self_test', method: 'GET', kind, path, part: path.split('?')[0] ?? path }))
    .data;
}

export function idsOf(data: unknown): number[] {
  return asList(data).flatMap((item) => asId(asObject(item)['id']) ?? []);
}

function withLog(access: CrmAccess, spent: SelfTestWorld['spent']): CrmAccess {
  const { quota } = access;
  return {
    ...access,
    quota: {
      take: (call) => quota.take(call),
      report: async (call, report) => {
        const { daily, httpStatus } = report;
        const isKnown = daily !== undefined && httpStatus !== null && httpStatus < 300;
        spent.push(isKnown ? { cost: call.cost, remaining: daily.remaining } : null);
        await quota.report(call, report);
      },
    },
  };
}
