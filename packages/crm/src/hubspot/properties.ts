import { asObject } from '../http/answer-values.ts';
import { CrmFailure, NEVER } from '../http/http-failure.ts';
import { type HubspotClient, unexpected } from './client.ts';
import { HUBSPOT_PATHS } from './paths.ts';

/** Properties of our own, which are created on first use. */

export interface OwnProperty {
  label: string;
  description: string;
  type: 'string' | 'number' | 'datetime';
  fieldType: 'text' | 'textarea' | 'number' | 'date';
  hasUniqueValue: boolean;
}

const KEY = {
  description: 'Makes a repeated write of the same thing change nothing. Do not edit.',
  type: 'string',
  fieldType: 'text',
  hasUniqueValue: true,
} as const;

const STATE = {
  type: 'datetime',
  fieldType: 'date',
  hasUniqueValue: false,
} as const;

/** HubSpot allows ten unique properties per object type. */
const OWN_PROPERTIES = {
  svc_event_key: { ...KEY, label: 'Sequencer event key' },
  svc_profile_url: { ...KEY, label: 'Sequencer profile URL' },
  svc_company_domain: { ...KEY, label: 'Sequencer company domain' },
  svc_deal_key: { ...KEY, label: 'Sequencer deal key' },
  svc_bounced_at: {
    ...STATE,
    label: 'Sequencer: email bounced at',
    description: 'When a mail of a sequencer to this contact first bounced.',
  },
  svc_unsubscribed_at: {
    ...STATE,
    label: 'Sequencer: unsubscribed at',
    description: 'When this contact first unsubscribed from a sequence.',
  },
} as const satisfies Record<string, OwnProperty>;
export type OwnPropertyName = keyof typeof OWN_PROPERTIES;

export const PROPERTY_GROUP = { name: 'svc_sync', label: 'Sequencer sync', displayOrder: -1 };

export function isOwnProperty(name: string): name is OwnPropertyName {
  return Object.hasOwn(OWN_PROPERTIES, name);
}

/** Creates one of our properties if it is missing. @throws CrmFailure also when it exists without unique values */
export async function ensureProperty(client: HubspotClient, objectType: string, name: OwnPropertyName): Promise<void> {
  const part = `the property ${name} of ${objectType}`;
  const property: OwnProperty = OWN_PROPERTIES[name];
  const call = { operation: 'properties', part } as const;
  const found = await client.call({
    ...call,
    method: 'GET',
    path: HUBSPOT_PATHS.property(objectType, name),
    accept: [404],
  });
  if (found.status !== 404) {
    const { name: foundName, hasUniqueValue } = asObject(found.body);
    if (foundName !== name) throw unexpected(part);
    if (property.hasUniqueValue && hasUniqueValue !== true) {
      const message = `HubSpot has ${part}, but without unique values`;
      throw new CrmFailure({ code: 'property_not_unique', message, httpStatus: found.status }, NEVER);
    }
    return;
  }
  // 409: another writer was faster.
  const groups = HUBSPOT_PATHS.propertyGroups(objectType);
  await client.call({ ...call, method: 'POST', path: groups, body: PROPERTY_GROUP, accept: [409] });
  const body = { ...property, name, groupName: PROPERTY_GROUP.name };
  await client.call({ ...call, method: 'POST', path: HUBSPOT_PATHS.properties(objectType), body, accept: [409] });
}
