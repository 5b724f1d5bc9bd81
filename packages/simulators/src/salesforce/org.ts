import { toId, toLongId } from './ids.ts';
import { findDuplicates, type SimulatedDuplicateRule } from './duplicates.ts';
import { assertWritable } from './fields.ts';
import type { StoredRecord, Values } from './record.ts';
import { Refusal } from './refusal.ts';
import type { CustomField, ObjectDefinition, ObjectType, OrgFeatures } from './definitions.ts';
import { findField, LEAD_STATUSES, objectsOf } from './schema.ts';

/** The state of the simulated org: records, what it lacks, its rules, and the rules of a write. */

/** A refusal of single records on command. */
export interface RecordFault {
  objectType: ObjectType;
  errorCode: string;
  message?: string;
  fields?: readonly string[];
}

/** A validation rule of the customer. */
export interface SimulatedValidation {
  objectType: ObjectType;
  message: string;
  /** Returns whether a record with these values is refused. */
  refuses: (values: Values) => boolean;
}

export interface OrgSettings extends OrgFeatures {
  duplicateRules: readonly SimulatedDuplicateRule[];
  validations: readonly SimulatedValidation[];
}

export const PLAIN_ORG: OrgSettings = {
  hasEventKeyField: true,
  hasProfileUrlField: true,
  hasCallObject: true,
  hasDealKeyField: true,
  hasLastValueFields: true,
  recordTypes: [],
  mayCustomize: true,
  customFields: [],
  hiddenFields: [],
  hiddenObjects: [],
  duplicateRules: [],
  validations: [],
};

const PERSONS_AND_DEALS = ['Contact', 'Lead', 'Opportunity'] as const;

/** The user of every token. */
const API_USER = 1;

export class SalesforceOrg {
  readonly #now: () => Date;
  readonly #breaks: string | null;
  readonly #users: readonly { email: string; isActive: boolean }[];
  #settings: OrgSettings;
  #objects: ReadonlyMap<string, ObjectDefinition>;
  #records = new Map<string, StoredRecord>();
  #byType = new Map<ObjectType, StoredRecord[]>();
  /** `type/field/value` of values in unique fields. */
  #unique = new Map<string, string>();
  #lastNumber = 1_000;
  #recordFaults: RecordFault[] = [];
  #locked = new Set<string>();
  /** Fields that a call has made. */
  #made: { objectName: string; field: Omit<CustomField, 'objectType'>; id: string }[] = [];

  constructor(
    now: () => Date,
    users: readonly { email: string; isActive: boolean }[],
    settings: OrgSettings,
    breaks: string | null = null,
  ) {
    this.#now = now;
    this.#breaks = breaks;
    this.#users = users;
    this.#settings = settings;
    this.#objects = objectsOf(settings);
    this.reset(settings);
  }

  reset(settings: OrgSettings): void {
    this.#records.clear();
    this.#byType.clear();
    this.#unique.clear();
    this.#recordFaults = [];
    this.#locked.clear();
    this.#made = [];
    this.configure(settings);
    this.#add('User', { Name: 'Integration', Email: 'integration@example.com', IsActive: true }, toId('005', API_USER));
    for (const { email, isActive } of this.#users) this.#add('User', { Name: email, Email: email, IsActive: isActive });
    for (const [ApiName, MasterLabel] of TASK_STATUSES)
      this.#add('TaskStatus', { ApiName, MasterLabel, IsClosed: ApiName === 'Completed' });
    for (const [index, ApiName] of LEAD_STATUSES.entries())
      this.#add('LeadStatus', {
        ApiName,
        MasterLabel: ApiName,
        IsConverted: ApiName === 'Converted',
        SortOrder: index + 1,
      });
  }

  configure(settings: Partial<OrgSettings>): void {
    this.#settings = { ...this.#settings, ...settings };
    this.#showFields();
  }

  /** A field that a call has made is hidden until a permission set of the user shows it. */
  #showFields(): void {
    const sets = this.all('PermissionSetAssignment').flatMap(({ values }) =>
      values['AssigneeId'] === this.apiUserId ? [values['PermissionSetId']] : [],
    );
    const shown = new Set(
      this.all('FieldPermissions').flatMap(({ values }) =>
        sets.includes(values['ParentId'] ?? null) && values['PermissionsEdit'] === true ? [values['Field']] : [],
      ),
    );
    const made = this.#made.flatMap(({ objectName, field }): CustomField[] => {
      const objectType = objectName === 'Activity' ? 'Task' : PERSONS_AND_DEALS.find((type) => type === objectName);
      return objectType !== undefined && shown.has(`${objectType}.${field.name}`) ? [{ ...field, objectType }] : [];
    });
    const customFields = [...this.#settings.customFields, ...made];
    this.#objects = objectsOf({ ...this.#settings, customFields });
  }

  /** All fields of the customer and of this service, also hidden ones, as the Tooling API shows them. */
  toolingFields(): { Id: string; DeveloperName: string; TableEnumOrId: string }[] {
    const shown = [...objectsOf({ ...this.#settings, hiddenFields: [], hiddenObjects: [] }).values()].flatMap(
      ({ name, fields }) =>
        fields.flatMap((field) => {
          const objectName = name === 'Task' ? 'Activity' : name;
          return field.name.endsWith('__c') ? [{ objectName, name: field.name, id: '00N' }] : [];
        }),
    );
    const made = this.#made.map(({ objectName, field, id }) => ({ objectName, name: field.name, id }));
    return [...shown, ...made].map(({ objectName, name, id }) => ({
      Id: id,
      DeveloperName: name.slice(0, -'__c'.length),
      TableEnumOrId: objectName,
    }));
  }

  /** @throws Refusal when the object has the field already */
  makeField(objectName: string, field: Omit<CustomField, 'objectType'>): string {
    const developerName = field.name.slice(0, -'__c'.length);
    const isThere = this.toolingFields().some(
      (other) => other.TableEnumOrId === objectName && other.DeveloperName === developerName,
    );
    if (isThere)
      throw new Refusal(
        400,
        this.isBroken('salesforce-17') ? 'DUPLICATE_VALUE' : 'DUPLICATE_DEVELOPER_NAME',
        `There is already a field named ${developerName} on ${objectName}.`,
        ['FullName'],
      );
    const id = toId('00N', this.#made.length + 1);
    this.#made.push({ objectName, field, id });
    return id;
  }

  get settings(): OrgSettings {
    return this.#settings;
  }

  /** Whether a statement of docs/crm/salesforce.md does not hold here. */
  isBroken(statement: string): boolean {
    return this.#breaks === statement;
  }

  get apiUserId(): string {
    return toId('005', API_USER);
  }

  objects(): readonly ObjectDefinition[] {
    return [...this.#objects.values()];
  }

  /** @throws Refusal for an object that the user does not see */
  object(name: string): ObjectDefinition {
    const found = this.#objects.get(name.toLowerCase());
    if (found === undefined) throw new Refusal(404, 'NOT_FOUND', 'The requested resource does not exist');
    return found;
  }

  failRecords(count: number, fault: RecordFault): void {
    this.#recordFaults.push(...Array.from({ length: count }, () => fault));
  }

  /** Writes of this record, and of tasks on it, find it locked until it is unlocked. */
  lock(id: string, isLocked: boolean): void {
    if (isLocked) this.#locked.add(toLongId(id));
    else this.#locked.delete(toLongId(id));
  }

  /** Records that are not deleted. */
  all(type: ObjectType): StoredRecord[] {
    return (this.#byType.get(type) ?? []).filter(({ isDeleted }) => !isDeleted);
  }

  /** Finds a record by id, in any form and in the recycle bin too. */
  find(id: string): StoredRecord | null {
    return this.#records.get(toLongId(id)) ?? null;
  }

  /** @throws Refusal when there is no such record, or when it is deleted */
  get(objectType: ObjectType, id: string): StoredRecord {
    const record = this.find(id);
    if (record === null || record.objectType !== objectType)
      throw new Refusal(404, 'NOT_FOUND', 'Provided external ID field does not exist or is not accessible: ' + id);
    if (record.isDeleted) throw new Refusal(404, 'ENTITY_IS_DELETED', 'entity is deleted');
    return record;
  }

  /** Creates a record that existed before any call; it passes no rule. */
  seed(type: ObjectType, values: Values): StoredRecord {
    return this.#add(type, values);
  }

  create(object: ObjectDefinition, values: Values, allowsDuplicates: boolean): StoredRecord {
    this.#assertNotFailed(object.name);
    assertWritable(this, object, values, null);
    this.#assertRules(object, values, null, allowsDuplicates);
    const record = this.#add(object.name, values);
    record.writes = 1;
    const { ContactId } = values;
    if (object.name === 'Opportunity' && typeof ContactId === 'string' && !this.isBroken('salesforce-15'))
      this.#add('OpportunityContactRole', { OpportunityId: record.id, ContactId, IsPrimary: true });
    if (object.name === 'FieldPermissions' || object.name === 'PermissionSetAssignment') this.#showFields();
    return record;
  }

  update(object: ObjectDefinition, record: StoredRecord, values: Values, allowsDuplicates: boolean): void {
    this.#assertNotFailed(object.name);
    if (this.#locked.has(record.id)) throw lockedRow();
    if (record.objectType === 'Lead' && record.values['IsConverted'] === true) throw convertedLead();
    assertWritable(this, object, values, record);
    this.#assertRules(object, { ...record.values, ...values }, record, allowsDuplicates, values);
    this.#store(record, values);
    record.writes += 1;
  }

  delete(id: string): void {
    const record = this.find(id);
    if (record === null) throw new Error(`no record ${id}`);
    record.isDeleted = true;
    for (const [key, owner] of this.#unique) if (owner === record.id) this.#unique.delete(key);
  }

  /** Converts a lead to a contact with an account, as a user does; its tasks move to the contact. */
  convertLead(id: string): { contactId: string; accountId: string } {
    const lead = this.get('Lead', id);
    const { FirstName = null, LastName = null, Email = null, Company = null } = lead.values;
    const account = this.seed('Account', { Name: Company });
    const contact = this.seed('Contact', { FirstName, LastName, Email, AccountId: account.id });
    const ids = { ConvertedContactId: contact.id, ConvertedAccountId: account.id };
    Object.assign(lead.values, { IsConverted: true, ...ids });
    for (const task of this.all('Task')) if (task.values['WhoId'] === lead.id) task.values['WhoId'] = contact.id;
    return { contactId: contact.id, accountId: account.id };
  }

  /** @throws Refusal when the person of a task cannot have one */
  assertPerson(id: string): void {
    const person = this.find(id);
    if (person === null || (person.objectType !== 'Contact' && person.objectType !== 'Lead'))
      throw new Refusal(400, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', ['WhoId']);
    if (person.isDeleted) throw new Refusal(400, 'ENTITY_IS_DELETED', 'entity is deleted', ['WhoId']);
    if (person.values['IsConverted'] === true) throw convertedLead();
    if (this.#locked.has(person.id)) throw lockedRow();
  }

  ownerOfUnique(objectType: ObjectType, name: string, value: string): string | null {
    return this.#unique.get(uniqueKey(objectType, name, value)) ?? null;
  }

  #assertNotFailed(objectType: ObjectType): void {
    const index = this.#recordFaults.findIndex((fault) => fault.objectType === objectType);
    const [fault] = index < 0 ? [] : this.#recordFaults.splice(index, 1);
    if (fault !== undefined)
      throw new Refusal(400, fault.errorCode, fault.message ?? `simulated ${fault.errorCode}`, fault.fields ?? []);
  }

  #assertRules(
    object: ObjectDefinition,
    values: Values,
    record: StoredRecord | null,
    allowsDuplicates: boolean,
    changed: Values = values,
  ): void {
    for (const { objectType, message, refuses } of this.#settings.validations) {
      if (objectType === object.name && refuses(values))
        throw new Refusal(400, 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message);
    }
    const found = findDuplicates(this, this.#settings.duplicateRules, object.name, {
      values,
      changed,
      id: record?.id ?? null,
    });
    if (found !== null && !(allowsDuplicates && found.allowsSave)) throw found.refusal;
  }

  #add(objectType: ObjectType, values: Values, id?: string): StoredRecord {
    this.#lastNumber += 1;
    const at = this.#now().toISOString().replace('Z', '+0000');
    const prefix = this.#objects.get(objectType.toLowerCase())?.keyPrefix ?? '000';
    const record: StoredRecord = {
      id: id ?? toId(prefix, this.#lastNumber),
      objectType,
      values: { CreatedDate: at, ...defaultsOf(objectType, this.apiUserId) },
      isDeleted: false,
      writes: 0,
    };
    this.#records.set(record.id, record);
    const rows = this.#byType.get(objectType);
    if (rows === undefined) this.#byType.set(objectType, [record]);
    else rows.push(record);
    this.#store(record, values);
    return record;
  }

  /** Any text may be a task's status; one that the org does not have is open. */
  #isClosed(status: unknown): boolean {
    const name = this.isBroken('salesforce-5') ? 'MasterLabel' : 'ApiName';
    return this.all('TaskStatus').some(({ values }) => values[name] === status && values['IsClosed'] === true);
  }

  #store(record: StoredRecord, values: Values): void {
    const object = this.#objects.get(record.objectType.toLowerCase());
    for (const [name, value] of Object.entries(values)) {
      const field = object === undefined ? null : findField(object, name);
      const known = field?.name ?? name;
      const before = record.values[known];
      if (field?.unique === true) {
        if (typeof before === 'string') this.#unique.delete(uniqueKey(record.objectType, known, before));
        if (typeof value === 'string') this.#unique.set(uniqueKey(record.objectType, known, value), record.id);
      }
      const isCut = this.isBroken('salesforce-14') && known === 'Svc_Last_Sent_At__c';
      record.values[known] = value === '' ? null : isCut ? String(value).slice(0, 10) : value;
    }
    if (record.objectType === 'Opportunity')
      record.values['IsClosed'] = String(record.values['StageName']).startsWith('Closed');
    if (record.objectType === 'Task') record.values['IsClosed'] = this.#isClosed(record.values['Status']);
    record.values['LastModifiedDate'] = this.#now().toISOString().replace('Z', '+0000');
  }
}

/** The statuses by their API names, with the labels of an org whose language is German. */
const TASK_STATUSES = [
  ['Not Started', 'Nicht begonnen'],
  ['In Progress', 'In Bearbeitung'],
  ['Completed', 'Erledigt'],
  ['Waiting', 'Wartet auf jemand anderen'],
  ['Deferred', 'Verschoben'],
] as const;

function defaultsOf(objectType: ObjectType, ownerId: string): Record<string, Values[string]> {
  switch (objectType) {
    case 'Contact':
      return { OwnerId: ownerId, HasOptedOutOfEmail: false };
    case 'Lead':
      return { OwnerId: ownerId, HasOptedOutOfEmail: false, IsConverted: false, Status: 'Open' };
    case 'CampaignMember':
      return { Status: 'Sent' };
    case 'Opportunity':
    case 'Account':
      return { OwnerId: ownerId };
    case 'Task':
      return { OwnerId: ownerId, Status: 'Not Started', Priority: 'Normal', TaskSubtype: 'Task' };
    default:
      return {};
  }
}

function uniqueKey(objectType: ObjectType, name: string, value: string): string {
  return `${objectType}/${name}/${value.toLowerCase()}`;
}

function convertedLead(): Refusal {
  return new Refusal(400, 'CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead');
}

function lockedRow(): Refusal {
  return new Refusal(400, 'UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access to this record');
}
