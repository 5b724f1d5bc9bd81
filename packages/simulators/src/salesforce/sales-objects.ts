import {
  field,
  type Field,
  type ObjectDefinition,
  type OrgFeatures,
  readOnly,
  type RecordType,
  reference,
  SYSTEM,
  text,
} from './definitions.ts';
import type { Answer } from '../http/answer.ts';
import { toId } from './ids.ts';
import { notFound } from './refusal.ts';

/** Opportunities, and the objects of permissions. */

const STAGES = ['Prospecting', 'Qualification', 'Closed Won', 'Closed Lost'];

export const SALES_OBJECTS: readonly ObjectDefinition[] = [
  {
    name: 'LeadStatus',
    keyPrefix: '01J',
    createable: false,
    fields: [
      field('Id', 'id', readOnly),
      text('MasterLabel', 255),
      text('ApiName', 255),
      field('IsConverted', 'boolean'),
      field('SortOrder', 'int'),
    ],
  },
  {
    name: 'Opportunity',
    keyPrefix: '006',
    createable: true,
    fields: [
      ...SYSTEM,
      text('Name', 120, { required: true }),
      field('StageName', 'picklist', { length: 255, required: true, options: STAGES }),
      field('CloseDate', 'date', { required: true }),
      reference('AccountId'),
      reference('OwnerId'),
      // Makes the contact role; it cannot be changed afterwards.
      reference('ContactId', { updateable: false }),
      field('IsClosed', 'boolean', readOnly),
    ],
  },
  {
    name: 'OpportunityContactRole',
    keyPrefix: '00K',
    createable: true,
    fields: [
      ...SYSTEM,
      reference('OpportunityId', { required: true, updateable: false }),
      reference('ContactId', { required: true }),
      field('IsPrimary', 'boolean'),
      text('Role', 255),
    ],
  },
  {
    name: 'PermissionSet',
    keyPrefix: '0PS',
    createable: true,
    fields: [
      ...SYSTEM,
      text('Name', 80, { required: true }),
      text('Label', 80, { required: true }),
      text('Description', 255),
    ],
  },
  {
    name: 'FieldPermissions',
    keyPrefix: '01k',
    createable: true,
    fields: [
      ...SYSTEM,
      reference('ParentId', { required: true }),
      text('SobjectType', 40, { required: true }),
      text('Field', 255, { required: true }),
      field('PermissionsRead', 'boolean'),
      field('PermissionsEdit', 'boolean'),
    ],
  },
  {
    name: 'PermissionSetAssignment',
    keyPrefix: '0Pa',
    createable: true,
    fields: [...SYSTEM, reference('AssigneeId', { required: true }), reference('PermissionSetId', { required: true })],
  },
];

/** Fields of opportunities that not every org has. */
export function salesFields({ hasDealKeyField, recordTypes }: OrgFeatures): Field[] {
  return [
    ...(recordTypes.length === 0 ? [] : [reference('RecordTypeId')]),
    ...(hasDealKeyField ? [text('Svc_Deal_Key__c', 80, { externalId: true, unique: true, idLookup: true })] : []),
  ];
}

const MASTER = '012000000000000AAA';

export function recordTypeInfos(recordTypes: readonly RecordType[]): Record<string, unknown>[] {
  return [...recordTypes, { name: 'Master', isDefault: recordTypes.length === 0 }].map(
    ({ name, isDefault = false }, index) => ({
      active: true,
      available: true,
      defaultRecordTypeMapping: isDefault,
      developerName: name.replaceAll(' ', '_'),
      master: name === 'Master',
      name,
      recordTypeId: name === 'Master' ? MASTER : toId('012', index + 1),
    }),
  );
}

/** `GET /ui-api/object-info/Opportunity/picklist-values/{recordTypeId}/StageName`. */
export function describeStages({ recordTypes }: Pick<OrgFeatures, 'recordTypes'>, recordTypeId: string): Answer {
  const index = recordTypeInfos(recordTypes).findIndex((info) => info['recordTypeId'] === recordTypeId);
  if (index < 0) throw notFound();
  const stages = recordTypes[index]?.stages ?? STAGES;
  const values = stages.map((value) => ({ attributes: null, label: value, validFor: [], value }));
  return { status: 200, body: { controllerValues: {}, defaultValue: null, values } };
}
