import { NotTested, type StatementCheck, untestable } from '../events/self-test.ts';
import { asList, asObject } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmOutcome } from '../port/types.ts';
import { LAST_VALUE_PROPERTIES } from './last-values.ts';
import { HUBSPOT_PATHS } from './paths.ts';
import { readPipelines } from './pipelines.ts';
import { readDefinitions } from './property-definitions.ts';
import { searchByValues } from './search.ts';
import {
  ACTIVITY_TYPES,
  associatedIds,
  cleanUp,
  errorsIn,
  idsIn,
  NO_OUTCOMES,
  post,
  readByIds,
  remember,
  type SelfTestWorld,
} from './self-test-world.ts';

/** The statements of docs/crm/hubspot.md that nobody has verified, and how a live account shows whether they hold. */

type Statement = StatementCheck<SelfTestWorld>;

const NO_SUCH_STAGE = 'svc-no-such-stage';
/** HubSpot allows five a second. */
const SEARCHES_MAX = 50;
const NOTHING = { writes: { timeline: false } };

const BATCHES: readonly Statement[] = [
  {
    id: 'hubspot-1',
    title: 'Emails, notes, communications, calls and tasks are upserted by a unique property of our own.',
    check: async ({ client, keys, made }) => {
      const refused: string[] = [];
      for (const type of ACTIVITY_TYPES) {
        const input = { id: keys[type], idProperty: 'svc_event_key', properties: {} };
        const answer = await post(client, HUBSPOT_PATHS.upsertRecords(type), { inputs: [input] }, [400, 404, 409]);
        const isNew = asList(asObject(answer.body)['results']).some((result) => asObject(result)['new'] === true);
        for (const id of answer.status < 300 ? idsIn(answer) : []) remember(made, type, id);
        if (answer.status >= 300 || isNew) refused.push(isNew ? `${type}: a second one` : `${type}: ${answer.status}`);
      }
      return said(refused);
    },
  },
  {
    id: 'hubspot-2',
    title: 'A batch that is refused in part is a 207 that names the refused inputs by `objectWriteTraceId`.',
    check: async ({ client, profileUrl, made }) => {
      const idProperty = 'svc_profile_url';
      const inputs = [
        { id: profileUrl, idProperty, properties: {}, objectWriteTraceId: 'good' },
        {
          id: `${profileUrl}/bad`,
          idProperty,
          properties: { lifecyclestage: NO_SUCH_STAGE },
          objectWriteTraceId: 'bad',
        },
      ];
      const answer = await post(client, HUBSPOT_PATHS.upsertRecords('contacts'), { inputs }, [400]);
      for (const id of idsIn(answer)) remember(made, 'contacts', id);
      const named = errorsIn(answer).flatMap(({ context }) => asList(asObject(context)['objectWriteTraceId']));
      if (answer.status !== 207) return `the answer is ${answer.status}`;
      return named.includes('bad') ? null : 'it names them otherwise';
    },
  },
  {
    id: 'hubspot-3',
    title: 'An upsert by email is refused as a whole for one bad address, also with trace ids.',
    check: async ({ client, email, input, made }) => {
      const inputs = [email, `svc-selftest-${input.randomId}`].map((id, index) => ({
        ...{ id, idProperty: 'email', properties: {}, objectWriteTraceId: String(index) },
      }));
      const answer = await post(client, HUBSPOT_PATHS.upsertRecords('contacts'), { inputs }, [400]);
      for (const id of idsIn(answer)) remember(made, 'contacts', id);
      return answer.status === 400 ? null : `the answer is ${answer.status}`;
    },
  },
  {
    id: 'hubspot-4',
    title: 'A `batch/create` that is answered with 400 creates nothing.',
    check: async ({ client, input, made }) => {
      const email = (name: string) => `svc-selftest-${name}-${input.randomId}@selftest.example.com`;
      const all = [{ email: email('a') }, { email: email('b'), lifecyclestage: NO_SUCH_STAGE }];
      const inputs = all.map((properties, index) => ({
        ...{ properties, associations: [], objectWriteTraceId: String(index) },
      }));
      const answer = await post(client, HUBSPOT_PATHS.createRecords('contacts'), { inputs }, [400]);
      const found = await readByIds(client, 'contacts', [email('a')], ['email'], 'email');
      for (const id of [...idsIn(answer), ...found.map((contact) => contact.id)]) remember(made, 'contacts', id);
      if (answer.status === 400) return found.length === 0 ? null : 'a contact was made';
      throw new NotTested(`the answer is ${answer.status}, which says what was made`);
    },
  },
  {
    id: 'hubspot-5',
    title: 'The batch of default associations answers 207, 400 or 404 for a record that is missing.',
    check: async ({ client, goneId, made }) => {
      const [noteId = ''] = made.get('notes') ?? [];
      const inputs = [{ from: { id: noteId }, to: { id: goneId } }];
      const path = HUBSPOT_PATHS.associateRecords('notes', 'contacts');
      const answer = await post(client, path, { inputs }, [400, 404]);
      return answer.status >= 400 || errorsIn(answer).length > 0 ? null : `the answer is ${answer.status}`;
    },
  },
  {
    id: 'hubspot-6',
    title: 'An update of a contact that was archived is answered with 404, for the whole or for the input.',
    check: async ({ client, goneId }) => {
      const inputs = [{ id: goneId, properties: { firstname: 'Selftest' }, objectWriteTraceId: '0' }];
      const answer = await post(client, HUBSPOT_PATHS.updateRecords('contacts'), { inputs }, [400, 404]);
      const isNamed = errorsIn(answer).some(({ category }) => category === 'OBJECT_NOT_FOUND');
      return answer.status === 404 || isNamed ? null : `the answer is ${answer.status}`;
    },
  },
  {
    id: 'hubspot-7',
    title: '`batch/read` shows a write at once.',
    check: async ({ client, contactId, input }) => {
      const inputs = [{ id: contactId, properties: { city: input.randomId } }];
      await post(client, HUBSPOT_PATHS.updateRecords('contacts'), { inputs });
      const [contact] = await readByIds(client, 'contacts', [contactId], ['city']);
      return contact?.properties['city'] === input.randomId ? null : 'it shows another value';
    },
  },
];

const VALUES: readonly Statement[] = [
  {
    id: 'hubspot-8',
    title: 'Emails, notes, communications, calls and tasks take an owner as `hubspot_owner_id`.',
    check: async ({ client, made }) => {
      const ownerId = await anyOwner(client);
      const refused: string[] = [];
      for (const type of ACTIVITY_TYPES) {
        const [id] = made.get(type) ?? [];
        if (id === undefined) continue;
        const inputs = [{ id, properties: { hubspot_owner_id: ownerId } }];
        const { status } = await post(client, HUBSPOT_PATHS.updateRecords(type), { inputs }, [400]);
        const [record] = await readByIds(client, type, [id], ['hubspot_owner_id']);
        if (status >= 300 || record?.properties['hubspot_owner_id'] !== ownerId) refused.push(type);
      }
      return refused.length === 0 ? null : `not taken by: ${refused.join(', ')}`;
    },
  },
  {
    id: 'hubspot-9',
    title: 'An owner whom the account does not have is refused as a property, with the name `hubspot_owner_id`.',
    check: async ({ client, contactId }) => {
      const inputs = [{ id: contactId, properties: { hubspot_owner_id: '1' }, objectWriteTraceId: '0' }];
      try {
        const answer = await post(client, HUBSPOT_PATHS.updateRecords('contacts'), { inputs });
        const [error] = errorsIn(answer);
        if (error === undefined) return 'it is taken';
        throw client.itemFailure('the owner', error);
      } catch (error) {
        if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
        return error.message.includes(' for hubspot_owner_id') ? null : error.message;
      }
    },
  },
  {
    id: 'hubspot-10',
    title: 'A lifecycle stage that goes forward is taken.',
    check: async ({ client, contactId, write }) => {
      const stages = (await readDefinitions(client)).get('lifecyclestage')?.options ?? [];
      const stageOf = async () =>
        (await readByIds(client, 'contacts', [contactId], ['lifecyclestage']))[0]?.properties['lifecyclestage'];
      const before = await stageOf();
      const next = stages[stages.findIndex(({ value }) => value === before) + 1];
      if (next === undefined) throw new NotTested('the contact is in the last stage already');
      const outcomes = { ...NO_OUTCOMES, lifecycleStage: next.value };
      assertWritten(await write('stage', {}, { ...NOTHING, outcomes }));
      return (await stageOf()) === next.value ? null : 'the contact has another stage';
    },
  },
  {
    id: 'hubspot-11',
    title: 'Times, numbers and texts of our properties come back as they were sent.',
    check: async ({ client, contactId, eventAt, write }) => {
      const definitions = await readDefinitions(client);
      if (!LAST_VALUE_PROPERTIES.every(({ name }) => definitions.has(name))) {
        throw new NotTested('run svc-server connections prepare ID first');
      }
      const lastValues = { lastSentAt: eventAt.getTime(), lastSentSubject: 'Self-test', sentCount: 7 };
      assertWritten(await write('last values', {}, { ...NOTHING, lastValues }));
      const expected = {
        ...{ svc_last_sent_at: eventAt.toISOString(), svc_last_sent_subject: 'Self-test', svc_sent_count: '7' },
      };
      const [contact] = await readByIds(client, 'contacts', [contactId], Object.keys(expected));
      const wrong = Object.entries(expected).filter(([name, value]) => contact?.properties[name] !== value);
      return said(wrong.map(([name]) => `another form of ${name}`));
    },
  },
  {
    id: 'hubspot-12',
    title: 'Reading the deals of a contact that has none is an empty result, or an error of a 207.',
    check: async ({ client, contactId }) => {
      const path = HUBSPOT_PATHS.readAssociations('contacts', 'deals');
      const { status } = await post(client, path, { inputs: [{ id: contactId }] }, [400, 403, 404]);
      if (status === 403) throw new NotTested('the token may not read deals');
      return status < 300 ? null : `the answer is ${status}`;
    },
  },
  {
    id: 'hubspot-13',
    title: 'An open deal shows `hs_is_closed` as `false`.',
    check: async ({ client, contactId, input, made, write }) => {
      const [pipeline] = await readPipelines(client).catch((error: unknown) => {
        if (error instanceof CrmFailure && error.isRefusal) throw new NotTested('the token may not read deals');
        throw error;
      });
      const [stage] = pipeline?.stages ?? [];
      if (pipeline === undefined || stage === undefined) throw new NotTested('the account has no pipeline of deals');
      const deal = { pipeline: pipeline.value, stage: stage.value, name: `Self-test ${input.randomId}` };
      const outcome = await write('deal', {}, { ...NOTHING, outcomes: { ...NO_OUTCOMES, deals: [deal] } });
      const ids = await associatedIds(client, contactId, 'deals');
      for (const id of ids) remember(made, 'deals', id);
      assertWritten(outcome);
      const [shown] = await readByIds(client, 'deals', ids, ['hs_is_closed']);
      if (shown === undefined) return 'the deal is not associated with the contact';
      return shown.properties['hs_is_closed'] === 'false' ? null : 'it shows another value';
    },
  },
  {
    id: 'hubspot-14',
    title: 'Contacts are added to a manual list again without an error, and missing ones are in `recordIdsMissing`.',
    check: async ({ client, contactId, goneId, input, made }) => {
      const list = { name: `Self-test ${input.randomId}`, objectTypeId: '0-1', processingType: 'MANUAL' };
      const answer = await post(client, HUBSPOT_PATHS.lists, list, [403]);
      if (answer.status === 403) throw new NotTested('the token may not make lists');
      const listId = String(asObject(asObject(answer.body)['list'])['listId']);
      remember(made, 'lists', listId);
      const add = async (ids: readonly string[]) =>
        await client.call({
          ...{ operation: 'self_test', method: 'PUT', part: 'the list of the test', accept: [400, 404] },
          ...{ path: HUBSPOT_PATHS.addListMembers(listId), body: ids },
        });
      await add([contactId]);
      const { status, body } = await add([contactId, goneId]);
      if (status >= 300) return `the answer is ${status}`;
      return asList(asObject(body)['recordIdsMissing']).includes(goneId) ? null : 'the missing one is not named';
    },
  },
  {
    id: 'hubspot-15',
    title: 'HubSpot makes no company of its own for a contact that this service makes.',
    check: async ({ client, contactId }) => {
      const [contact] = await readByIds(client, 'contacts', [contactId], ['associatedcompanyid']);
      const companyId = contact?.properties['associatedcompanyid'] ?? '';
      return companyId === '' ? null : 'it made one, which is left there (setting "Create and associate companies")';
    },
  },
  {
    id: 'hubspot-16',
    title: 'A contact is found by its other addresses, which `hs_additional_emails` lists.',
    check: async (world) => {
      const { client, contactId } = world;
      const other = otherEmail(world);
      const inputs = [{ id: contactId, properties: { hs_additional_emails: other } }];
      const { status } = await post(client, HUBSPOT_PATHS.updateRecords('contacts'), { inputs }, [400]);
      if (status === 400) throw new NotTested('HubSpot takes no other address from the API');
      const [found] = await readByIds(client, 'contacts', [other], ['hs_additional_emails'], 'email');
      if (found?.id !== contactId) return 'it is not found';
      return String(found.properties['hs_additional_emails']).includes(other) ? null : 'the address is not listed';
    },
  },
  {
    id: 'hubspot-17',
    title: 'An upsert by another address of a contact keeps its main address.',
    check: async (world) => {
      const { client, contactId, email, made } = world;
      const inputs = [{ id: otherEmail(world), idProperty: 'email', properties: { firstname: 'Selftest' } }];
      const [id = ''] = idsIn(await post(client, HUBSPOT_PATHS.upsertRecords('contacts'), { inputs }));
      remember(made, 'contacts', id);
      if (id !== contactId) throw new NotTested('the contact has no other address');
      const [contact] = await readByIds(client, 'contacts', [contactId], ['email']);
      return contact?.properties['email'] === email ? null : 'it has another one';
    },
  },
];

const SEARCHES: readonly Statement[] = [
  {
    id: 'hubspot-18',
    title: 'A search finds an activity by a property of our own after some seconds.',
    check: async ({ client, keys }) => {
      const search = {
        operation: 'self_test',
        objectType: 'notes',
        property: 'svc_event_key',
        part: 'the note',
      } as const;
      for (let count = 0; count < SEARCHES_MAX; count += 1) {
        const [found] = await searchByValues(client, { ...search, sort: 'hs_createdate' }, [keys.notes]);
        if (found instanceof CrmFailure) throw found;
        if (typeof found === 'string') return null;
      }
      return `${SEARCHES_MAX} searches do not find it`;
    },
  },
  {
    id: 'hubspot-19',
    title: 'A search takes 100 values with `IN`.',
    check: async (world) => {
      const status = await searchStatus(
        world,
        Array.from({ length: 100 }, (_, index) => `s${index}.example`),
      );
      return status === 200 ? null : `the answer is ${status}`;
    },
  },
  {
    id: 'hubspot-20',
    title: 'A search takes a body of 3,000 characters.',
    check: async (world) => {
      const values = Array.from({ length: 30 }, (_, index) => `${'s'.repeat(80)}${index}.example`);
      const missing = 3_000 - JSON.stringify(toSearch(values)).length;
      const status = await searchStatus(world, [`${'s'.repeat(missing)}${values[0]}`, ...values.slice(1)]);
      return status === 200 ? null : `the answer is ${status}`;
    },
  },
  {
    id: 'hubspot-21',
    title: "The headers of a search's answer say nothing about limits.",
    check: async ({ searches }) => {
      if (searches.length === 0) throw new NotTested('no search was answered');
      return searches.includes(true) ? 'they say what is left' : null;
    },
  },
];

function toSearch(values: readonly string[]): object {
  const filters = [{ propertyName: 'domain', operator: 'IN', values }];
  return { filterGroups: [{ filters }], sorts: ['createdate'], properties: ['domain'], limit: 1, after: '0' };
}

async function searchStatus({ client }: SelfTestWorld, values: readonly string[]): Promise<number> {
  const path = HUBSPOT_PATHS.searchRecords('companies');
  const call = { operation: 'self_test', bucket: 'search', method: 'POST', part: 'a search' } as const;
  const { status } = await client.call({ ...call, path, body: toSearch(values), accept: [400, 403] });
  if (status === 403) throw new NotTested('the token may not read companies');
  return status;
}

const LAST: readonly Statement[] = [
  {
    id: 'hubspot-22',
    title: 'What is made can be archived again.',
    check: async ({ client, input, made }) => {
      if (input.isKept) throw new NotTested('the records are kept');
      const left = await cleanUp(client, made);
      return left.length === 0 ? null : `left: ${left.join(', ')}`;
    },
  },
];

const UNTESTED: readonly Statement[] = [
  {
    id: 'hubspot-23',
    title: '`account-info/2026-09/details` needs no scope but `oauth`.',
    check: untestable('the token has other scopes too'),
  },
  {
    id: 'hubspot-24',
    title: 'Refused calls do not count for the window of ten seconds, and the window rolls.',
    check: untestable('it would use up the calls of the account'),
  },
  {
    id: 'hubspot-25',
    title: 'The batch of default associations takes 2,000 pairs.',
    check: untestable('it would make 2,000 records'),
  },
  {
    id: 'hubspot-26',
    title:
      'A missing required property is a 400 for the batch or an error of a 207, and is not asked of records that exist.',
    check: untestable('it depends on the rules of the account, which the test does not change'),
  },
  {
    id: 'hubspot-27',
    title: "A refused refresh in the form of HubSpot's other errors means that the grant has ended.",
    check: untestable('it would end the connection'),
  },
  {
    id: 'hubspot-28',
    title: 'A user who was deactivated is refused as an owner like one whom the account does not have.',
    check: untestable('the test deactivates nobody'),
  },
  {
    id: 'hubspot-29',
    title:
      'An update by the id of a contact that was merged changes the contact that is left, or is answered with 404.',
    check: untestable('a merge cannot be undone'),
  },
];

export const HUBSPOT_STATEMENTS: readonly Statement[] = [...BATCHES, ...VALUES, ...SEARCHES, ...LAST, ...UNTESTED];

function otherEmail({ input }: SelfTestWorld): string {
  return `svc-selftest-other-${input.randomId}@selftest.example.com`;
}

async function anyOwner(client: SelfTestWorld['client']): Promise<string> {
  const path = `${HUBSPOT_PATHS.owners}?limit=1`;
  const call = { operation: 'self_test', method: 'GET', part: 'the users', path, accept: [403] } as const;
  const answer = await client.call(call);
  const [id] = answer.status === 403 ? [] : idsIn(answer);
  if (id === undefined) throw new NotTested('the token shows no user');
  return id;
}

function assertWritten(outcome: CrmOutcome): void {
  if (outcome.status === 'success') return;
  throw new NotTested(outcome.error.message);
}

function said(differences: readonly string[]): string | null {
  return differences.length === 0 ? null : differences.join(', ');
}
