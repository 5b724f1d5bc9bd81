import { LAST_VALUES } from '@svc/domain/policy/last-values';
import {
  type Field,
  field,
  type ObjectDefinition,
  type ObjectType,
  type OrgFeatures,
  readOnly,
  reference,
  SYSTEM,
  text,
} from './definitions.ts';
import { recordTypeInfos, salesFields, SALES_OBJECTS } from './sales-objects.ts';

/** The objects and fields that the simulated org has, as `describe` shows them. */

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

/** Closed ones are set by a conversion. */
export const LEAD_STATUSES = ['Open', 'Working', 'Interested', 'Converted'];

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
      field('Status', 'picklist', { length: 255, options: LEAD_STATUSES }),
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
  { name: 'Campaign', keyPrefix: '701', createable: true, fields: [...SYSTEM, text('Name', 80)] },
  {
    name: 'CampaignMember',
    keyPrefix: '00v',
    createable: true,
    fields: [
      ...SYSTEM,
      reference('CampaignId'),
      reference('ContactId'),
      reference('LeadId'),
      field('Status', 'picklist', { length: 40, options: ['Sent', 'Responded'] }),
      field('Email', 'email', { length: 80, ...readOnly }),
    ],
  },
  {
    name: 'ListView',
    keyPrefix: '00B',
    createable: false,
    fields: [...SYSTEM, text('Name', 40), text('SobjectType', 40)],
  },
  ...SALES_OBJECTS,
];

const PERMISSION_OBJECTS: readonly ObjectType[] = ['PermissionSet', 'FieldPermissions', 'PermissionSetAssignment'];

export function objectsOf(features: OrgFeatures): ReadonlyMap<string, ObjectDefinition> {
  const hidden = [...features.hiddenObjects, ...(features.mayCustomize ? [] : PERMISSION_OBJECTS)];
  const shown = OBJECTS.filter(({ name }) => !hidden.includes(name)).map((object) => ({
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
  if (name === 'Opportunity') return salesFields(features);
  if (name !== 'Contact' && name !== 'Lead') return [];
  return [
    ...(features.hasProfileUrlField ? [text('Svc_Profile_Url__c', 255, { externalId: true, idLookup: true })] : []),
    ...(features.hasLastValueFields ? lastValueFields() : []),
  ];
}

/** `lastSentAt` is `Svc_Last_Sent_At__c`. */
function lastValueFields(): Field[] {
  return Object.entries(LAST_VALUES).map(([key, { type }]) => {
    const words = key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`);
    const name = `Svc_${words.charAt(0).toUpperCase()}${words.slice(1)}__c`;
    if (type === 'number') return field(name, 'double');
    return type === 'datetime' ? field(name, 'datetime') : text(name, 255);
  });
}

export function findField({ fields }: ObjectDefinition, name: string): Field | null {
  const wanted = name.toLowerCase();
  return fields.find((candidate) => candidate.name.toLowerCase() === wanted) ?? null;
}

/** The `GET /sobjects/{type}/describe` of an object, without the parts that nobody reads. */
export function describeObject(
  object: ObjectDefinition,
  urlBase: string,
  { recordTypes }: Pick<OrgFeatures, 'recordTypes'>,
): Record<string, unknown> {
  return {
    ...summarizeObject(object, urlBase),
    childRelationships: [],
    recordTypeInfos: object.name === 'Opportunity' ? recordTypeInfos(recordTypes) : [],
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
