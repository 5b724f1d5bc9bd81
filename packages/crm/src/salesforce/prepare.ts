import { asList, asObject, asText } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { PreparedItem } from '../port/setup.ts';
import type { SalesforceClient } from './client.ts';
import { describe, toFields } from './org.ts';
import { OWN_FIELDS, type OwnField } from './own-fields.ts';
import { isIn, quote } from './soql.ts';

/**
 * Makes the fields of this service, and a permission set that shows them to the user of the connection: a field that the Tooling API makes is
 * hidden from everybody.
 */

export const SET_NAME = 'Svc_Sequencer_Sync';
const SET_LABEL = 'Svc Sequencer Sync';

interface Setup {
  client: SalesforceClient;
  isDryRun: boolean;
  /** The user of the connection. */
  userId: string;
}

/** @throws CrmFailure for every failure that is no refusal */
export async function prepareOrg(setup: Setup): Promise<PreparedItem[]> {
  const fields = await prepareFields(setup);
  const there = OWN_FIELDS.filter((_field, index) =>
    ['exists', 'made', 'missing'].includes(fields[index]?.state ?? ''),
  );
  return [...fields, ...(there.length === 0 ? [] : await preparePermissions(setup, there))];
}

async function prepareFields(setup: Setup): Promise<PreparedItem[]> {
  const known = await readKnownFields(setup.client);
  const items: PreparedItem[] = [];
  let refusal = known.refusal;
  for (const field of OWN_FIELDS) {
    const name = `field ${field.name} of ${field.object}`;
    if (known.names.has(toFullName(field))) {
      items.push({ name, state: 'exists', note: null });
      continue;
    }
    if (refusal === null && setup.isDryRun) {
      items.push({ name, state: 'missing', note: null });
      continue;
    }
    const made = refusal === null ? await makeField(setup.client, field) : refusal;
    // The next one would be refused as well.
    if (made?.error.httpStatus === 403) refusal = made;
    if (made === null) items.push({ name, state: 'made', note: null });
    else if (made.error.category === 'DUPLICATE_DEVELOPER_NAME') items.push({ name, state: 'exists', note: null });
    else items.push({ name, state: 'refused', note: `${made.error.message}. ${byHand(field)}` });
  }
  return items;
}

function byHand({ object, name, byHand: kind }: OwnField): string {
  return `Give the user of the connection "Customize Application" and repeat this, or let an admin make ${name} in Setup, Object Manager, ${object}, Fields & Relationships: ${kind}.`;
}

/** Returns the fields of this service that the org has, as `Contact.Svc_Profile_Url__c`; those that field security hides, too, if possible. */
async function readKnownFields(client: SalesforceClient): Promise<{ names: Set<string>; refusal: CrmFailure | null }> {
  const developerNames = [...new Set(OWN_FIELDS.map(({ name }) => name.replace(/__c$/, '')))];
  const soql = `SELECT DeveloperName, TableEnumOrId FROM CustomField WHERE ${isIn('DeveloperName', developerNames)}`;
  const found = await attempt(() =>
    client.call({
      operation: 'setup_read',
      method: 'GET',
      path: `/tooling/query?q=${encodeURIComponent(soql)}`,
      part: 'the search for its fields',
    }),
  );
  if (!(found instanceof CrmFailure)) {
    const rows = asList(asObject(found)['records']).map(asObject);
    return {
      names: new Set(rows.map((row) => `${asText(row['TableEnumOrId'])}.${asText(row['DeveloperName'])}__c`)),
      refusal: null,
    };
  }
  const names = new Set<string>();
  for (const object of ['Activity', 'Contact', 'Lead', 'Opportunity']) {
    const shown = toFields(await describe(client, object === 'Activity' ? 'Task' : object));
    for (const name of shown?.keys() ?? []) names.add(`${object}.${name}`);
  }
  return { names, refusal: found };
}

async function makeField(client: SalesforceClient, field: OwnField): Promise<CrmFailure | null> {
  const made = await attempt(() =>
    client.call({
      operation: 'setup_write',
      method: 'POST',
      path: '/tooling/sobjects/CustomField',
      body: { FullName: toFullName(field), Metadata: field.metadata },
      part: `the field ${field.name}`,
    }),
  );
  return made instanceof CrmFailure ? made : null;
}

function toFullName({ object, name }: OwnField): string {
  return `${object}.${name}`;
}

async function preparePermissions(setup: Setup, fields: readonly OwnField[]): Promise<PreparedItem[]> {
  const { client, userId, isDryRun } = setup;
  const names = {
    set: `permission set ${SET_LABEL}`,
    access: 'access of the permission set to the fields',
    user: 'permission set of the user of the connection',
  };
  const items: PreparedItem[] = [];
  const add = (name: string, state: PreparedItem['state'], note: string | null = null) =>
    items.push({ name, state, note });
  try {
    const known = await findOne(client, `SELECT Id FROM PermissionSet WHERE Name = ${quote(SET_NAME)}`);
    if (known === null && isDryRun) {
      for (const name of Object.values(names)) add(name, 'missing');
      return items;
    }
    const set = known ?? (await create(client, 'PermissionSet', [SET_RECORD]))[0] ?? '';
    add(names.set, known === null ? 'made' : 'exists');

    const shown = await find(client, `SELECT Field FROM FieldPermissions WHERE ParentId = ${quote(set)}`);
    const wanted = fields.map((field) => toPermission(field, set));
    const lacking = wanted.filter(({ Field }) => !shown.some((row) => row['Field'] === Field));
    if (lacking.length > 0 && !isDryRun) await create(client, 'FieldPermissions', lacking);
    add(names.access, lacking.length === 0 ? 'exists' : isDryRun ? 'missing' : 'made');

    const ofUser = `AssigneeId = ${quote(userId)} AND PermissionSetId = ${quote(set)}`;
    const assigned = await findOne(client, `SELECT Id FROM PermissionSetAssignment WHERE ${ofUser}`);
    const assignment = { AssigneeId: userId, PermissionSetId: set };
    if (assigned === null && !isDryRun) await create(client, 'PermissionSetAssignment', [assignment]);
    add(names.user, assigned !== null ? 'exists' : isDryRun ? 'missing' : 'made');
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    const note = `${error.error.message}. ${SET_BY_HAND}`;
    for (const name of Object.values(names).slice(items.length)) add(name, 'refused', note);
  }
  return items;
}

const SET_RECORD = { Name: SET_NAME, Label: SET_LABEL, Description: 'Shows the fields of the sequencer sync.' };
const SET_BY_HAND = `Give the user of the connection "Manage Profiles and Permission Sets" and "Assign Permission Sets" and repeat this, or let an admin make a permission set that may read and edit the fields that begin with Svc_ of Task, Contact, Lead and Opportunity, and assign it to the user.`;

/** Access to fields of activities is given for tasks. */
function toPermission(field: OwnField, set: string) {
  const SobjectType = field.object === 'Activity' ? 'Task' : field.object;
  return {
    ParentId: set,
    SobjectType,
    Field: `${SobjectType}.${field.name}`,
    PermissionsRead: true,
    PermissionsEdit: true,
  };
}

async function find(client: SalesforceClient, soql: string) {
  const [rows = []] = await client.query([{ soql, part: 'the search for its permission set' }], 'setup_read');
  return rows;
}

async function findOne(client: SalesforceClient, soql: string): Promise<string | null> {
  const [first] = await find(client, soql);
  return asText(first?.['Id']);
}

/** @throws CrmFailure also when one of the records is refused */
async function create(client: SalesforceClient, type: string, records: readonly object[]): Promise<string[]> {
  const results = await client.write(
    records.map((values) => ({ type, values: { ...values } })),
    { operation: 'setup_write', part: 'its permission set' },
  );
  return results.map((result) => {
    if (!result.isWritten) throw result.failure;
    return result.id;
  });
}

/** Returns the refusal instead of throwing it. */
async function attempt<T>(run: () => Promise<T>): Promise<T | CrmFailure> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CrmFailure && error.isRefusal) return error;
    throw error;
  }
}
