import { NotTested, type StatementCheck, untestable } from '../events/self-test.ts';
import { asList, asObject, asText } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import { createCrmHttp } from '../http/http.ts';
import type { CrmOutcome } from '../port/types.ts';
import type { RecordResult } from './client.ts';
import { lastValueField } from './last-values.ts';
import { EVENT_KEY_FIELD } from './org.ts';
import { OWN_FIELDS } from './own-fields.ts';
import { SET_NAME } from './prepare.ts';
import { cleanUp, readOne, select, type SelfTestWorld } from './self-test-world.ts';
import { isIn, quote } from './soql.ts';

/** The statements of docs/crm/salesforce.md that nobody has verified, and how a live org shows whether they hold. */

type Statement = StatementCheck<SelfTestWorld>;

const PREPARE_FIRST = 'run svc-server connections prepare ID first';

const WRITTEN: readonly Statement[] = [
  {
    id: 'salesforce-1',
    title: 'Version 66.0 of the API is available.',
    check: async ({ calls, input: { access } }) => {
      const http = createCrmHttp(calls, access, { vendor: 'Salesforce', readLimits: () => ({}) });
      const url = `${access.apiUrl}/services/data`;
      const call = { operation: 'self_test', method: 'GET', url, headers: {}, part: 'the list of versions' } as const;
      const versions = asList((await http.send(call)).body).map((item) => asObject(item)['version']);
      return versions.includes('66.0') ? null : `the last one is ${String(versions.at(-1))}`;
    },
  },
  {
    id: 'salesforce-2',
    title: 'A collection is refused as a whole when one record names a field that the org does not have.',
    check: async ({ client, contactId, outcomes }) => {
      const records = [
        { attributes: { type: 'Contact' }, id: contactId, FirstName: 'Selftest' },
        { attributes: { type: 'Task' }, id: engagementOf(outcomes.mail), Svc_Nothing__c: 'x' },
      ];
      const body = { allOrNone: false, records };
      try {
        await client.call({ ...TEST_CALL, method: 'PATCH', path: '/composite/sobjects', body });
        return 'the other record was written';
      } catch (error) {
        const category = error instanceof CrmFailure ? error.error.category : undefined;
        if (category === undefined) throw error;
        return category === 'INVALID_FIELD' ? null : `it was refused with ${category}`;
      }
    },
  },
  {
    id: 'salesforce-3',
    title: 'The result of one record in a collection does not name the matches of a duplicate rule.',
    check: async ({ twins: { plain } }) => {
      if (plain.isWritten) throw new NotTested('no duplicate rule stops a second contact');
      return plain.problem.duplicates === null ? null : 'it names them';
    },
  },
  {
    id: 'salesforce-4',
    title: '`allowSave` passes alert rules in collections as it does in single calls.',
    check: async ({ twins: { plain, allowed }, client, contactId }) => {
      if (plain.isWritten || allowed === null) throw new NotTested('no duplicate rule stops a second contact');
      if (allowed.isWritten) return null;
      const values = await readOne(client, 'Contact', contactId, ['FirstName', 'LastName', 'Email']);
      const { attributes: _, ...twin } = values;
      const [single] = await client.createSingly([{ type: 'Contact', values: twin }], TEST_CALL);
      const mayPass = single !== undefined && !single.isWritten && single.problem.duplicates?.allowsSave === true;
      if (!mayPass) throw new NotTested('the duplicate rule of the org blocks');
      return `it was refused with ${allowed.problem.code}`;
    },
  },
  {
    id: 'salesforce-5',
    title: '`Status` of a task takes `ApiName` of `TaskStatus` and not the label, in translated orgs too.',
    check: async ({ client, outcomes }) => {
      const task = await readOne(client, 'Task', engagementOf(outcomes.mail), ['Status', 'IsClosed']);
      return task['IsClosed'] === true ? null : 'the task is open';
    },
  },
  {
    id: 'salesforce-6',
    title: 'Tasks of the subtypes `Email` and `LinkedIn` may be created.',
    check: async ({ client, outcomes, taskFields }) => {
      if (taskFields?.get('TaskSubtype')?.isCreateable !== true)
        throw new NotTested('the user does not see TaskSubtype');
      const subtypes = [];
      for (const outcome of [outcomes.mail, outcomes.message])
        subtypes.push((await readOne(client, 'Task', engagementOf(outcome), ['TaskSubtype']))['TaskSubtype']);
      return subtypes.join() === 'Email,LinkedIn' ? null : `they are ${subtypes.join(' and ')}`;
    },
  },
  {
    id: 'salesforce-7',
    title: '`CallObject` of tasks can be written and filtered where the description shows it.',
    check: async ({ client, contactId, taskFields, input }) => {
      const field = taskFields?.get('CallObject');
      if (field?.isCreateable !== true || !field.isFilterable) throw new NotTested('the description does not show it');
      const CallObject = `svc:selftest:${input.randomId}`;
      const values = { WhoId: contactId, Subject: 'Self-test', CallObject };
      const [task] = await client.write([{ type: 'Task', values }], TEST_CALL);
      if (task?.isWritten !== true) return refusalOf(task);
      const found = await select(client, `SELECT Id FROM Task WHERE CallObject = ${quote(CallObject)}`);
      return found.length === 1 ? null : 'the search by it finds nothing';
    },
  },
  {
    id: 'salesforce-8',
    title: 'A unique text field of Activity refuses a second task at once.',
    check: async (world) => {
      const second = await writeSecondTask(world);
      if (second.isWritten) return 'the second task was made';
      return second.problem.code === 'DUPLICATE_VALUE' ? null : refusalOf(second);
    },
  },
  {
    id: 'salesforce-9',
    title: 'The text of `DUPLICATE_VALUE` names the id of the first task.',
    check: async (world) => {
      const second = await writeSecondTask(world);
      if (second.isWritten || second.problem.code !== 'DUPLICATE_VALUE')
        throw new NotTested('the second task was not refused as a duplicate');
      const first = engagementOf(world.outcomes.mail).slice(0, 15);
      return second.problem.message.includes(`with id: ${first}`) ? null : 'it names no id, or another one';
    },
  },
  {
    id: 'salesforce-10',
    title: 'Queries through `/composite` may be longer than an address.',
    check: async ({ client }) => {
      const addresses = Array.from({ length: 400 }, (_, index) => `nobody-${index}@selftest.example.com`);
      await select(client, `SELECT Id FROM Contact WHERE ${isIn('Email', addresses)}`);
      return null;
    },
  },
  {
    id: 'salesforce-11',
    title: 'The query of a list view, as its description gives it, can be run with other columns.',
    check: async ({ client, input: { connector }, access }) => {
      const [view] = await select(client, `SELECT Id FROM ListView WHERE SobjectType = 'Contact' ORDER BY Id LIMIT 1`);
      const listId = asText(view?.['Id']);
      if (listId === null) throw new NotTested('the org has no list view of contacts');
      for await (const page of connector.readList({ access, listId, blockType: 'ADDRESS', cursor: null }))
        return page.status === 'error' ? page.error.message : null;
      return null;
    },
  },
  {
    id: 'salesforce-12',
    title: '`[not provided]` is accepted as the company of a lead.',
    check: async ({ client, outcomes: { lead } }) => {
      if (lead.status === 'error') return lead.error.message;
      const { Company } = await readOne(client, 'Lead', lead.contactId ?? '', ['Company']);
      return Company === '[not provided]' ? null : 'the lead has another company';
    },
  },
  {
    id: 'salesforce-13',
    title: 'Answers with content carry `Sforce-Limit-Info`.',
    check: async ({ answersWithLimits }) => {
      const without = answersWithLimits.filter((has) => !has).length;
      return without === 0 ? null : `${without} of ${answersWithLimits.length} answers have no such header`;
    },
  },
  {
    id: 'salesforce-14',
    title: 'Last values are kept as they are sent.',
    check: async ({ client, contactId, eventAt, outcomes: { lastValues } }) => {
      if (codeOf(lastValues) === 'last_values_not_prepared') throw new NotTested(PREPARE_FIRST);
      if (lastValues.status !== 'success') return lastValues.error.message;
      const names = (['lastSentAt', 'lastSentSubject', 'sentCount'] as const).map(lastValueField);
      const row = await readOne(client, 'Contact', contactId, names);
      const [at, subject, count] = names.map((name) => row[name]);
      const isKept = Date.parse(String(at)) === eventAt.getTime() && subject === 'Self-test' && count === 7;
      return isKept ? null : 'they are others';
    },
  },
  {
    id: 'salesforce-15',
    title: '`ContactId` of a new opportunity makes the contact role, also in a collection.',
    check: async ({ client, contactId, outcomes: { deal } }) => {
      if (deal === null) throw new NotTested('the user of the connection sees no opportunities');
      if (codeOf(deal) === 'not_prepared') throw new NotTested(PREPARE_FIRST);
      if (deal.status !== 'success') return deal.error.message;
      const roles = await select(client, `SELECT Id FROM OpportunityContactRole WHERE ContactId = ${quote(contactId)}`);
      return roles.length === 1 ? null : `the contact has ${roles.length} roles`;
    },
  },
  {
    id: 'salesforce-16',
    title: 'A second member of a campaign is refused with `DUPLICATE_VALUE`.',
    check: async ({ client, contactId, made, input: { randomId } }) => {
      const campaign = { type: 'Campaign', values: { Name: `Self-test ${randomId}` } };
      const [made_] = await client.write([campaign], TEST_CALL);
      if (made_?.isWritten !== true) throw new NotTested(refusalOf(made_));
      made.push(made_.id);
      const member = { type: 'CampaignMember', values: { CampaignId: made_.id, ContactId: contactId } };
      const [first] = await client.write([member], TEST_CALL);
      const [second] = await client.write([member], TEST_CALL);
      if (first?.isWritten !== true) return refusalOf(first);
      if (second?.isWritten !== false) return 'the second member was made';
      return second.problem.code === 'DUPLICATE_VALUE' ? null : refusalOf(second);
    },
  },
  {
    id: 'salesforce-17',
    title: 'A field that is there already is refused with `DUPLICATE_DEVELOPER_NAME`.',
    check: async ({ client, taskFields }) => {
      const field = OWN_FIELDS.find(({ name }) => name === EVENT_KEY_FIELD);
      if (field === undefined || taskFields?.has(EVENT_KEY_FIELD) !== true) throw new NotTested(PREPARE_FIRST);
      const body = { FullName: `${field.object}.${field.name}`, Metadata: field.metadata };
      try {
        await client.call({ ...TEST_CALL, method: 'POST', path: '/tooling/sobjects/CustomField', body });
        return 'it was made a second time';
      } catch (error) {
        if (!(error instanceof CrmFailure) || error.error.httpStatus === 403) throw mayNotCustomize(error);
        return error.error.category === 'DUPLICATE_DEVELOPER_NAME' ? null : error.error.message;
      }
    },
  },
  {
    id: 'salesforce-18',
    title: 'The Tooling API shows fields of Activity with the `TableEnumOrId` `Activity`.',
    check: async ({ client, taskFields }) => {
      if (taskFields?.has(EVENT_KEY_FIELD) !== true) throw new NotTested(PREPARE_FIRST);
      const names = isIn('DeveloperName', [EVENT_KEY_FIELD.replace(/__c$/, '')]);
      const path = `/tooling/query?q=${encodeURIComponent(`SELECT TableEnumOrId FROM CustomField WHERE ${names}`)}`;
      const answer = await client.call({ ...TEST_CALL, method: 'GET', path }).catch((error: unknown) => {
        throw mayNotCustomize(error);
      });
      const tables = asList(asObject(answer)['records']).map((row) => asObject(row)['TableEnumOrId']);
      return tables.includes('Activity') ? null : `it is ${tables.join(', ') || 'not shown'}`;
    },
  },
  {
    id: 'salesforce-19',
    title: 'Access to a field of Activity is given as `Task.Svc_Event_Key__c`.',
    check: async ({ client }) => {
      const soql = `SELECT Id FROM PermissionSet WHERE Name = ${quote(SET_NAME)}`;
      const [set] = await select(client, soql).catch((error: unknown) => {
        throw mayNotCustomize(error);
      });
      if (set === undefined) throw new NotTested(PREPARE_FIRST);
      const ofSet = `ParentId = ${quote(asText(set['Id']) ?? '')} AND Field = 'Task.${EVENT_KEY_FIELD}'`;
      const permissions = await select(client, `SELECT PermissionsEdit FROM FieldPermissions WHERE ${ofSet}`);
      return permissions[0]?.['PermissionsEdit'] === true ? null : 'the permission set does not have it';
    },
  },
];

const CLEANED: Statement = {
  id: 'salesforce-20',
  title: 'What is made can be deleted again.',
  check: async (world) => {
    if (world.input.isKept) throw new NotTested('the records are kept');
    const left = await cleanUp(world);
    return left.length === 0 ? null : `delete by hand: ${left.join(', ')}`;
  },
};

/** What one person in an org cannot show. */
const UNTESTABLE: readonly Statement[] = (
  [
    ['The Tooling API takes the fields as they are sent.', '"svc-server connections prepare ID" shows it'],
    ['The answers to locked rows, converted leads and used up limits are as described.', 'it needs such a state'],
    ['A collection of more than 10 runs of one type is refused.', 'the connector sorts records by type'],
    ['A search of `Website` by `LIKE` stays fast in orgs with millions of accounts.', 'it needs such an org'],
    ['A contact without an account is visible to its owner only.', 'it needs a second user'],
    [
      'An owner whom the user must not give is refused with a code that begins with `INSUFFICIENT_ACCESS`.',
      'it needs such an owner',
    ],
    ['Two programs that write one new person at the same time make two records.', 'it needs two programs'],
  ] as const
).map(([title, why], index) => ({ id: `salesforce-${21 + index}`, title, check: untestable(why) }));

export const SALESFORCE_STATEMENTS: readonly Statement[] = [...WRITTEN, CLEANED, ...UNTESTABLE];

const TEST_CALL = { operation: 'self_test', part: 'the self-test' } as const;

async function writeSecondTask({ client, taskFields, contactId, outcomes }: SelfTestWorld): Promise<RecordResult> {
  if (taskFields?.get(EVENT_KEY_FIELD)?.isCreateable !== true) throw new NotTested(PREPARE_FIRST);
  const { [EVENT_KEY_FIELD]: key } = await readOne(client, 'Task', engagementOf(outcomes.mail), [EVENT_KEY_FIELD]);
  const values = { WhoId: contactId, Subject: 'Self-test', [EVENT_KEY_FIELD]: key };
  const [second] = await client.write([{ type: 'Task', values }], TEST_CALL);
  if (second === undefined) throw new NotTested('Salesforce did not answer');
  return second;
}

function refusalOf(result: RecordResult | undefined): string {
  return result?.isWritten === false ? result.failure.error.message : 'Salesforce did not answer';
}

/** Who may not see setup cannot try it. */
function mayNotCustomize(error: unknown): unknown {
  const isRefusal = error instanceof CrmFailure && error.isRefusal;
  return isRefusal ? new NotTested('the user of the connection must not see or change the setup') : error;
}

/** @throws NotTested when the task was not written */
function engagementOf(outcome: CrmOutcome): string {
  if (outcome.status === 'error') throw new NotTested(outcome.error.message);
  if (outcome.engagementId === null) throw new NotTested('the task was not written');
  return outcome.engagementId;
}

function codeOf(outcome: CrmOutcome): string | null {
  return outcome.status === 'success' ? null : outcome.error.code;
}
