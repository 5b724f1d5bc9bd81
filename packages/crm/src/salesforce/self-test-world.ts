import { NotTested, selfTestEmail, selfTestWrite } from '../events/self-test.ts';
import { asList, asObject, asText, chunks, type Fields } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmHttpOptions } from '../http/http.ts';
import type { SelfTestInput } from '../port/setup.ts';
import type { CrmAccess, CrmOutcome, CrmWrite } from '../port/types.ts';
import { memoryRecords } from '../records/memory-records.ts';
import { createSalesforceClient, type RecordResult, type SalesforceClient } from './client.ts';
import { describe, type FieldsOf, toFields } from './org.ts';
import { readSales } from './sales.ts';
import { isIn, quote } from './soql.ts';

/** What a self-test has written to Salesforce through the connector, for its statements to look at. */

const DAY_MS = 24 * 60 * 60 * 1000;

export interface SelfTestWorld {
  input: SelfTestInput;
  calls: CrmHttpOptions;
  access: CrmAccess;
  client: SalesforceClient;
  contactId: string;
  taskFields: FieldsOf;
  /** Moment of the events, thirty days ago. */
  eventAt: Date;
  outcomes: Record<'mail' | 'message' | 'lead' | 'lastValues', CrmOutcome> & { deal: CrmOutcome | null };
  /** A second contact with name and address of the first one, without and with the permission to be a duplicate. */
  twins: { plain: RecordResult; allowed: RecordResult | null };
  /** For each answer, whether it said how many calls the org has left. */
  answersWithLimits: boolean[];
  /** Ids of what was made besides. */
  made: string[];
}

/** @throws NotTested when the contact cannot be written, or is somebody else's @throws CrmFailure */
export async function makeSelfTestWorld(calls: CrmHttpOptions, input: SelfTestInput): Promise<SelfTestWorld> {
  const answersWithLimits: boolean[] = [];
  const access = withLog(input.access, answersWithLimits);
  const client = createSalesforceClient({ ...calls, access, secrets: [] });
  const eventAt = new Date(Math.floor(calls.now().getTime() / 1000) * 1000 - 30 * DAY_MS);
  const records = memoryRecords();
  const write = async (event: CrmWrite): Promise<CrmOutcome> => {
    const { organizationId, connector } = input;
    const [outcome] = await connector.writeEvents({ access, organizationId, records, events: [event] });
    if (outcome === undefined) throw new NotTested('the connector returned no outcome');
    return outcome;
  };
  const event = (key: string, changes: object = {}, more: Parameters<typeof selfTestWrite>[3] = {}) =>
    selfTestWrite(input.randomId, key, { occurredAt: eventAt, ...changes }, more);

  const made: string[] = [];
  try {
    const mail = await write(event('mail'));
    if (mail.status === 'error' || mail.contactId === null)
      throw new NotTested(mail.status === 'success' ? 'no contact was made' : mail.error.message);
    const { contactId, engagementId } = mail;
    const { Email } = await readOne(client, 'Contact', contactId, ['Email']);
    if (asText(Email)?.toLowerCase() !== selfTestEmail(input.randomId).toLowerCase()) {
      if (engagementId !== null) made.push(engagementId);
      throw new NotTested('a duplicate rule of the org takes the contact of the test for another one');
    }
    const begun = { calls, input, access, client, eventAt, answersWithLimits, made, contactId };
    return await completeWorld({ ...begun, mail, write, event });
  } catch (error) {
    // No statement will look at these records, so they are deleted, also with `--keep`.
    await cleanUp({ client, input, made }).catch(() => {});
    throw error;
  }
}

type Begun = Omit<SelfTestWorld, 'taskFields' | 'outcomes' | 'twins'> & {
  mail: CrmOutcome;
  write: (event: CrmWrite) => Promise<CrmOutcome>;
  event: (key: string, changes?: object, more?: Parameters<typeof selfTestWrite>[3]) => CrmWrite;
};

async function completeWorld({ write, event, mail, ...begun }: Begun): Promise<SelfTestWorld> {
  const { calls, input, client, contactId, eventAt } = begun;
  const message = await write(event('message', { eventType: 'MESSAGE_SENT' }));
  const ofLead = selfTestWrite(leadName(input), 'lead', { occurredAt: eventAt });
  const lead = await write({ ...ofLead, plan: { ...ofLead.plan, salesforceObjectType: 'Lead' } });
  const lastValues = { lastSentAt: eventAt.getTime(), lastSentSubject: 'Self-test', sentCount: 7 };
  const valued = await write(event('last values', {}, { lastValues }));

  const [pipeline] = (await readSales(client, calls.now))?.pipelines ?? [];
  const stage = pipeline?.stages[0];
  const deals = stage === undefined ? [] : [{ pipeline: null, stage: stage.value, name: dealName(input) }];
  const plan = { leadStatus: null, lifecycleStage: null, campaigns: [], lists: [], deals, tasks: [] };
  const twin = { type: 'Contact', values: await readTwin(client, contactId) };
  const [plain] = await client.write([twin], { operation: 'self_test', part: 'a second contact' });
  if (plain === undefined) throw new NotTested('Salesforce did not answer to a second contact');
  const isStopped = !plain.isWritten && plain.problem.code === 'DUPLICATES_DETECTED';
  const [allowed = null] = isStopped
    ? await client.write([twin], { operation: 'self_test', part: 'a second contact', allowsDuplicates: true })
    : [];
  return {
    ...begun,
    taskFields: toFields(await describe(client, 'Task')),
    outcomes: {
      ...{ mail, message, lead, lastValues: valued },
      deal: deals.length === 0 ? null : await write(event('deal', {}, { outcomes: plan })),
    },
    twins: { plain, allowed },
  };
}

/** The name that makes the address of the lead another one. */
function leadName({ randomId }: SelfTestInput): string {
  return `${randomId}-lead`;
}

function dealName({ randomId }: SelfTestInput): string {
  return `Self-test ${randomId}`;
}

async function readTwin(client: SalesforceClient, id: string): Promise<Fields> {
  const { FirstName, LastName, Email } = await readOne(client, 'Contact', id, ['FirstName', 'LastName', 'Email']);
  return { FirstName, LastName, Email };
}

/**
 * Deletes what was made: the people with an address of the test, their tasks and opportunities.
 *
 * @returns the ids of what Salesforce does not delete
 */
export async function cleanUp({
  client,
  input,
  made,
}: Pick<SelfTestWorld, 'client' | 'input' | 'made'>): Promise<string[]> {
  const ofTest = isIn('Email', [selfTestEmail(input.randomId), selfTestEmail(leadName(input))]);
  const people = [
    ...(await findIds(client, `SELECT Id FROM Contact WHERE ${ofTest}`)),
    ...(await findIds(client, `SELECT Id FROM Lead WHERE ${ofTest}`)),
  ];
  const tasks = people.length === 0 ? [] : await findIds(client, `SELECT Id FROM Task WHERE ${isIn('WhoId', people)}`);
  const deals = await findIds(client, `SELECT Id FROM Opportunity WHERE Name = ${quote(dealName(input))}`);
  const left: string[] = [];
  for (const some of chunks([...new Set([...tasks, ...deals, ...made, ...people])], 200)) {
    const path = `/composite/sobjects?ids=${some.join(',')}&allOrNone=false`;
    const answer = asList(await client.call({ operation: 'self_test', method: 'DELETE', path, part: 'its records' }));
    left.push(...some.filter((_id, index) => asObject(answer[index])['success'] !== true));
  }
  return left;
}

/** Returns the ids of a query; none of objects that the user does not see, who has made none of them. */
async function findIds(client: SalesforceClient, soql: string): Promise<string[]> {
  try {
    return (await select(client, soql)).flatMap((row) => asText(row['Id']) ?? []);
  } catch (error) {
    if (error instanceof CrmFailure && error.isRefusal) return [];
    throw error;
  }
}

export async function select(client: SalesforceClient, soql: string): Promise<readonly Fields[]> {
  const [rows = []] = await client.query([{ soql, part: 'what the self-test has made' }], 'self_test');
  return rows;
}

/** Returns fields of a record; empty when it is not there. */
export async function readOne(
  client: SalesforceClient,
  type: string,
  id: string,
  fields: readonly string[],
): Promise<Fields> {
  const [row = {}] = await select(client, `SELECT ${fields.join(', ')} FROM ${type} WHERE Id = ${quote(id)}`);
  return row;
}

function withLog(access: CrmAccess, answersWithLimits: boolean[]): CrmAccess {
  const { quota } = access;
  return {
    ...access,
    quota: {
      take: (call) => quota.take(call),
      report: async (call, report) => {
        const { daily, httpStatus } = report;
        // An answer without content has no such header.
        if (httpStatus !== null && httpStatus < 300) answersWithLimits.push(daily !== undefined);
        await quota.report(call, report);
      },
    },
  };
}
