/** What an object and an org have. */

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

export type ObjectType =
  | 'Contact'
  | 'Lead'
  | 'Account'
  | 'Task'
  | 'User'
  | 'TaskStatus'
  | 'Campaign'
  | 'CampaignMember'
  | 'ListView'
  | 'LeadStatus'
  | 'Opportunity'
  | 'OpportunityContactRole'
  | 'PermissionSet'
  | 'FieldPermissions'
  | 'PermissionSetAssignment';

export interface ObjectDefinition {
  name: ObjectType;
  keyPrefix: string | null;
  createable: boolean;
  fields: readonly Field[];
}

export interface RecordType {
  name: string;
  stages: readonly string[];
  isDefault?: boolean;
}

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
  /** The unique field `Svc_Deal_Key__c` of opportunities. */
  hasDealKeyField: boolean;
  /** The fields of last values of contacts and leads. */
  hasLastValueFields: boolean;
  /** Record types of opportunities. */
  recordTypes: readonly RecordType[];
  /** Whether the user may make fields and permission sets. */
  mayCustomize: boolean;
  /** Fields that the customer has added. */
  customFields: readonly CustomField[];
  /** Fields that field security hides, as `Contact.HasOptedOutOfEmail`. */
  hiddenFields: readonly string[];
  /** Objects that the user must not see. */
  hiddenObjects: readonly ObjectType[];
}

type FieldOptions = Partial<Omit<Field, 'name'>>;

export function field(name: string, type: Field['type'], options: FieldOptions = {}): Field {
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

export const text = (name: string, length: number, options: FieldOptions = {}): Field =>
  field(name, 'string', { length, ...options });
export const reference = (name: string, options: FieldOptions = {}): Field =>
  field(name, 'reference', { length: 18, ...options });
export const readOnly = { createable: false, updateable: false } as const;

export const SYSTEM: readonly Field[] = [
  field('Id', 'id', { length: 18, idLookup: true, ...readOnly }),
  field('CreatedDate', 'datetime', readOnly),
  field('LastModifiedDate', 'datetime', readOnly),
];
