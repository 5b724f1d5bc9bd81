/**
 * The schema of a fresh portal: object types, their properties, and their associations. It contains only what this
 * project uses; other names are refused as unknown, as HubSpot does.
 */

export const OBJECT_TYPES = {
  contacts: { typeId: '0-1', label: 'CONTACT' },
  companies: { typeId: '0-2', label: 'COMPANY' },
  deals: { typeId: '0-3', label: 'DEAL' },
  communications: { typeId: '0-18', label: 'COMMUNICATION' },
  tasks: { typeId: '0-27', label: 'TASK' },
  notes: { typeId: '0-46', label: 'NOTE' },
  calls: { typeId: '0-48', label: 'CALL' },
  emails: { typeId: '0-49', label: 'EMAIL' },
} as const satisfies Record<string, { typeId: string; label: string }>;
export type ObjectType = keyof typeof OBJECT_TYPES;
export const OBJECT_TYPE_NAMES = Object.keys(OBJECT_TYPES).filter(isObjectType);

/** The activity types of events on a contact's timeline. Tasks are counted separately. */
export const ENGAGEMENT_TYPES = ['emails', 'notes', 'communications', 'calls'] as const satisfies readonly ObjectType[];

function isObjectType(name: string): name is ObjectType {
  return Object.hasOwn(OBJECT_TYPES, name);
}

/** Accepts the plural name, singular name or numeric type id, as HubSpot's paths do. */
export function findObjectType(name: string): ObjectType | null {
  const found = OBJECT_TYPE_NAMES.find((type) => {
    const { typeId, label } = OBJECT_TYPES[type];
    return name === type || name === typeId || name.toUpperCase() === label;
  });
  return found ?? null;
}

export interface PropertyDefinition {
  name: string;
  label: string;
  groupName: string;
  type: 'string' | 'number' | 'bool' | 'date' | 'datetime' | 'enumeration' | 'phone_number';
  fieldType: string;
  hasUniqueValue: boolean;
  hubspotDefined: boolean;
  readOnly: boolean;
  options: readonly PropertyOption[];
}

export interface PropertyOption {
  value: string;
  label: string;
}

function own(name: string, extra: Partial<PropertyDefinition> = {}): PropertyDefinition {
  const type = extra.type ?? 'string';
  return {
    name,
    label: name,
    groupName: 'hubspot_defined',
    type,
    fieldType: type === 'enumeration' ? 'select' : 'text',
    hasUniqueValue: false,
    hubspotDefined: true,
    readOnly: false,
    options: [],
    ...extra,
  };
}

const texts = (...names: string[]) => names.map((name) => own(name));
const choice = (name: string, ...values: string[]) =>
  own(name, { type: 'enumeration', options: values.map((value) => ({ value, label: toLabel(value) })) });
const toLabel = (value: string) => `${value.charAt(0)}${value.slice(1).toLowerCase().replaceAll('_', ' ')}`;
const instant = (name: string, readOnly = false) => own(name, { type: 'datetime', readOnly });

const EVERYWHERE = [
  own('hs_object_id', { type: 'number', readOnly: true }),
  instant('hs_createdate', true),
  ...texts('hubspot_owner_id'),
];
const ACTIVITY = [...EVERYWHERE, instant('hs_lastmodifieddate', true), instant('hs_timestamp')];

const OWN_PROPERTIES: Record<ObjectType, readonly PropertyDefinition[]> = {
  contacts: [
    ...EVERYWHERE,
    instant('createdate', true),
    instant('lastmodifieddate', true),
    own('email', { hasUniqueValue: true }),
    own('phone', { type: 'phone_number' }),
    ...texts(
      'firstname',
      'lastname',
      'company',
      'jobtitle',
      'website',
      'city',
      'country',
      'hs_linkedin_url',
      'associatedcompanyid',
      'hs_additional_emails',
    ),
    choice(
      'lifecyclestage',
      'subscriber',
      'lead',
      'marketingqualifiedlead',
      'salesqualifiedlead',
      'opportunity',
      'customer',
      'evangelist',
      'other',
    ),
    choice(
      'hs_lead_status',
      'NEW',
      'OPEN',
      'IN_PROGRESS',
      'OPEN_DEAL',
      'UNQUALIFIED',
      'ATTEMPTED_TO_CONTACT',
      'CONNECTED',
      'BAD_TIMING',
    ),
  ],
  // The domain is not unique: companies may share one, so it cannot be the key of an upsert.
  companies: [
    ...EVERYWHERE,
    instant('createdate', true),
    instant('hs_lastmodifieddate', true),
    ...texts('domain', 'name', 'website', 'phone', 'city', 'country'),
  ],
  deals: [
    ...EVERYWHERE,
    instant('createdate', true),
    instant('hs_lastmodifieddate', true),
    own('hs_is_closed', { type: 'bool', readOnly: true }),
    own('amount', { type: 'number' }),
    ...texts('dealname', 'pipeline', 'dealstage'),
  ],
  emails: [
    ...ACTIVITY,
    choice('hs_email_direction', 'EMAIL', 'INCOMING_EMAIL', 'FORWARDED_EMAIL'),
    choice('hs_email_status', 'BOUNCED', 'FAILED', 'SCHEDULED', 'SENDING', 'SENT'),
    ...texts('hs_email_subject', 'hs_email_text', 'hs_email_html', 'hs_email_headers'),
  ],
  notes: [...ACTIVITY, ...texts('hs_note_body')],
  communications: [
    ...ACTIVITY,
    choice('hs_communication_channel_type', 'WHATS_APP', 'LINKEDIN_MESSAGE', 'SMS', 'CUSTOM_CHANNEL_CONVERSATION'),
    choice('hs_communication_logged_from', 'CRM'),
    ...texts('hs_communication_body'),
  ],
  calls: [
    ...ACTIVITY,
    choice('hs_call_direction', 'INBOUND', 'OUTBOUND'),
    choice(
      'hs_call_status',
      'BUSY',
      'CALLING_CRM_USER',
      'CANCELED',
      'COMPLETED',
      'CONNECTING',
      'FAILED',
      'IN_PROGRESS',
      'NO_ANSWER',
      'QUEUED',
      'RINGING',
    ),
    own('hs_call_duration', { type: 'number' }),
    ...texts('hs_call_title', 'hs_call_body', 'hs_call_to_number', 'hs_call_from_number'),
  ],
  tasks: [
    ...ACTIVITY,
    choice('hs_task_status', 'NOT_STARTED', 'IN_PROGRESS', 'WAITING', 'COMPLETED', 'DEFERRED'),
    choice('hs_task_priority', 'NONE', 'LOW', 'MEDIUM', 'HIGH'),
    choice('hs_task_type', 'EMAIL', 'CALL', 'TODO'),
    ...texts('hs_task_subject', 'hs_task_body'),
  ],
};

/** Returns the properties of a fresh portal by name. */
export function ownProperties(type: ObjectType): Map<string, PropertyDefinition> {
  return new Map(OWN_PROPERTIES[type].map((property) => [property.name, property]));
}

/** Default association types between two object types; any other pair is refused. */
const ASSOCIATION_TYPE_IDS: Readonly<Record<string, number>> = {
  'contacts/companies': 279,
  'companies/contacts': 280,
  'emails/contacts': 198,
  'contacts/emails': 197,
  'notes/contacts': 202,
  'contacts/notes': 201,
  'calls/contacts': 194,
  'contacts/calls': 193,
  'communications/contacts': 81,
  'contacts/communications': 82,
  'tasks/contacts': 204,
  'contacts/tasks': 203,
  'emails/companies': 186,
  'notes/companies': 190,
  'calls/companies': 182,
  'communications/companies': 87,
  'tasks/companies': 192,
  'deals/contacts': 3,
  'contacts/deals': 4,
  'deals/companies': 341,
  'companies/deals': 342,
  'emails/deals': 210,
  'notes/deals': 214,
  'calls/deals': 206,
  'communications/deals': 85,
  'tasks/deals': 216,
};

export function associationTypeId(from: ObjectType, to: ObjectType): number | null {
  const key = `${from}/${to}`;
  return Object.hasOwn(ASSOCIATION_TYPE_IDS, key) ? (ASSOCIATION_TYPE_IDS[key] ?? null) : null;
}
