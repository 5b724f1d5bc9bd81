/** The objects and fields that the simulated org has, as `describe` shows them. */

export type ObjectType =
  | 'Contact'
  | 'Lead'
  | 'Account'
  | 'Task'
  | 'User'
  | 'TaskStatus'
  | 'Campaign'
  | 'CampaignMember'
  | 'ListView';

export interface Field {
  name: string;
  type:
    | 'id'
    | 'string'
    | 'textarea'
    | 'email'
    | 'phone'
    | 'url'
    | 'boolean'
    | 'date'
    | 'datetime'
    | 'picklist'
    | 'multipicklist'
    | 'double'
    | 'int'
    | 'reference';
  /** Longest text; 0: no limit. */
  length: number;
  createable: boolean;
  updateable: boolean;
  filterable: boolean;
  /** A create without a value is refused. */
  required: boolean;
  idLookup: boolean;
  externalId: boolean;
  unique: boolean;
  options: readonly string[];
  /** Whether a picklist takes only its options. */
  restricted: boolean;
}

export interface ObjectDefinition {
  name: ObjectType;
  keyPrefix: string | null;
  createable: boolean;
  fields: readonly Field[];
}

type FieldOptions = Partial<Omit<Field, 'name'>>;

function field(name: string, type: Field['type'], options: FieldOptions = {}): Field {
  return {
    name,
    type,
    length: 0,
    createable: true,
    updateable: true,
    filterable: true,
    required: false,
    idLookup: false,
    externalId: false,
    unique: false,
    options: [],
    restricted: false,
    ...options,
  };
}

const text = (name: string, length: number, options: FieldOptions = {}): Field =>
  field(name, 'string', { length, ...options });
const reference = (name: string, options: FieldOptions = {}): Field =>
  field(name, 'reference', { length: 18, ...options });
const readOnly = { createable: false, updateable: false } as const;

const SYSTEM: readonly Field[] = [
  field('Id', 'id', { length: 18, idLookup: true, ...readOnly }),
  field('CreatedDate', 'datetime', readOnly),
  field('LastModifiedDate', 'datetime', readOnly),
];

const PERSON: readonly Field[] = [
  ...SYSTEM,
  text('FirstName', 40),
  text('LastName', 80, { required: true }),
  text('Name', 121, readOnly),
  field('Email', 'email', { length: 80, idLookup: true }),
  field('Phone', 'phone', { length: 40 }),
  text('Title', 128),
  reference('OwnerId'),
  field('HasOptedOutOfEmail', 'boolean'),
  field('EmailBouncedDate', 'datetime'),
  text('EmailBouncedReason', 255),
];

const OBJECTS: readonly ObjectDefinition[] = [
  {
    name: 'Contact',
    keyPrefix: '003',
    createable: true,
    fields: [...PERSON, reference('AccountId'), field('IsEmailBounced', 'boolean', readOnly)],
  },
  {
    name: 'Lead',
    keyPrefix: '00Q',
    createable: true,
    fields: [
      ...PERSON,
      text('Company', 255, { required: true }),
      field('Website', 'url', { length: 255 }),
      field('IsConverted', 'boolean', readOnly),
      reference('ConvertedContactId', readOnly),
      reference('ConvertedAccountId', readOnly),
    ],
  },
  {
    name: 'Account',
    keyPrefix: '001',
    createable: true,
    fields: [
      ...SYSTEM,
      text('Name', 255, { required: true }),
      field('Website', 'url', { length: 255 }),
      reference('OwnerId'),
    ],
  },
  {
    name: 'Task',
    keyPrefix: '00T',
    createable: true,
    fields: [
      ...SYSTEM,
      reference('WhoId'),
      reference('WhatId'),
      reference('OwnerId'),
      text('Subject', 255),
      field('Description', 'textarea', { length: 32_000, filterable: false }),
      field('ActivityDate', 'date'),
      field('Status', 'picklist', {
        length: 255,
        options: ['Not Started', 'In Progress', 'Completed', 'Waiting', 'Deferred'],
      }),
      field('Priority', 'picklist', { length: 255, options: ['High', 'Normal', 'Low'] }),
      field('TaskSubtype', 'picklist', {
        length: 40,
        updateable: false,
        restricted: true,
        options: ['Task', 'Email', 'List Email', 'Cadence', 'Call', 'LinkedIn'],
      }),
      field('IsClosed', 'boolean', readOnly),
      field('CompletedDateTime', 'datetime', readOnly),
    ],
  },
  {
    name: 'User',
    keyPrefix: '005',
    createable: false,
    fields: [...SYSTEM, text('Name', 121), field('Email', 'email', { length: 128 }), field('IsActive', 'boolean')],
  },
  {
    name: 'TaskStatus',
    keyPrefix: '01J',
    createable: false,
    fields: [field('Id', 'id', readOnly), text('MasterLabel', 255), text('ApiName', 255), field('IsClosed', 'boolean')],
  },
  { name: 'Campaign', keyPrefix: '701', createable: false, fields: [...SYSTEM, text('Name', 80)] },
  {
    name: 'CampaignMember',
    keyPrefix: '00v',
    createable: false,
    fields: [
      ...SYSTEM,
      reference('CampaignId'),
      reference('ContactId'),
      reference('LeadId'),
      field('Email', 'email', { length: 80 }),
    ],
  },
  {
    name: 'ListView',
    keyPrefix: '00B',
    createable: false,
    fields: [...SYSTEM, text('Name', 40), text('SobjectType', 40)],
  },
];

/** A field of the customer, as `Score__c` of contacts. Those of activities are fields of tasks. */
export interface CustomField extends Partial<Omit<Field, 'name'>> {
  objectType: ObjectType;
  name: string;
  type: Field['type'];
}

/** What an org has or lacks. Every field that is hidden or absent looks the same to a call. */
export interface OrgFeatures {
  /** The unique field `Svc_Event_Key__c` of activities. */
  hasEventKeyField: boolean;
  /** The field `Svc_Profile_Url__c` of contacts and leads. */
  hasProfileUrlField: boolean;
  /** The field `CallObject` of tasks, which orgs with a call center have. */
  hasCallObject: boolean;
  /** Fields that the customer has added. */
  customFields: readonly CustomField[];
  /** Fields that field security hides, as `Contact.HasOptedOutOfEmail`. */
  hiddenFields: readonly string[];
  /** Objects that the user must not see. */
  hiddenObjects: readonly ObjectType[];
}

export function objectsOf(features: OrgFeatures): ReadonlyMap<string, ObjectDefinition> {
  const shown = OBJECTS.filter(({ name }) => !features.hiddenObjects.includes(name)).map((object) => ({
    ...object,
    fields: [...object.fields, ...optionalFields(object.name, features)].filter(
      ({ name }) => !features.hiddenFields.includes(`${object.name}.${name}`),
    ),
  }));
  return new Map(shown.map((object) => [object.name.toLowerCase(), object]));
}

function optionalFields(name: ObjectType, features: OrgFeatures): Field[] {
  return [...ownFields(name, features), ...customFields(name, features)];
}

function customFields(name: ObjectType, { customFields: all }: OrgFeatures): Field[] {
  return all.flatMap(({ objectType, ...custom }) =>
    objectType === name ? [field(custom.name, custom.type, custom)] : [],
  );
}

function ownFields(name: ObjectType, features: OrgFeatures): Field[] {
  if (name === 'Task') {
    return [
      ...(features.hasEventKeyField
        ? [text('Svc_Event_Key__c', 80, { externalId: true, unique: true, idLookup: true })]
        : []),
      ...(features.hasCallObject ? [text('CallObject', 255, { updateable: false })] : []),
    ];
  }
  const hasUrl = features.hasProfileUrlField && (name === 'Contact' || name === 'Lead');
  return hasUrl ? [text('Svc_Profile_Url__c', 255, { externalId: true, idLookup: true })] : [];
}

export function findField({ fields }: ObjectDefinition, name: string): Field | null {
  const wanted = name.toLowerCase();
  return fields.find((candidate) => candidate.name.toLowerCase() === wanted) ?? null;
}

/** The `GET /sobjects/{type}/describe` of an object, without the parts that nobody reads. */
export function describeObject(object: ObjectDefinition, urlBase: string): Record<string, unknown> {
  return {
    ...summarizeObject(object, urlBase),
    childRelationships: [],
    recordTypeInfos: [],
    fields: object.fields.map((entry) => ({
      ...entry,
      label: entry.name,
      nillable: !entry.required && entry.type !== 'boolean' && entry.type !== 'id',
      defaultedOnCreate: entry.type === 'boolean' || entry.name === 'OwnerId',
      custom: entry.name.endsWith('__c'),
      sortable: entry.filterable,
      groupable: entry.filterable,
      restrictedPicklist: entry.restricted,
      picklistValues: entry.options.map((value) => ({ value, label: value, active: true, defaultValue: false })),
      referenceTo: [],
    })),
  };
}

export function summarizeObject(
  { name, keyPrefix, createable }: ObjectDefinition,
  urlBase: string,
): Record<string, unknown> {
  return {
    name,
    label: name,
    labelPlural: `${name}s`,
    keyPrefix,
    custom: false,
    createable,
    updateable: createable,
    deletable: createable,
    queryable: true,
    retrieveable: true,
    urls: { sobject: `${urlBase}/sobjects/${name}`, describe: `${urlBase}/sobjects/${name}/describe` },
  };
}
