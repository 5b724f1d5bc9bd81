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

/**
 * `unique`: HubSpot keeps its values unique, so records are upserted by it. `plain`: it does not, so records are searched by it and created;
 * only activities can do with that.
 */
export type KeyKind = 'unique' | 'plain';

/** Properties that may be plain where HubSpot does not make them unique. */
const MAY_BE_PLAIN: ReadonlySet<OwnPropertyName> = new Set(['svc_event_key']);

export function mayBePlain(name: OwnPropertyName): boolean {
  return MAY_BE_PLAIN.has(name);
}

/** Creates one of our properties if it is missing. @throws CrmFailure also when it is not unique, but has to be */
export async function ensureProperty(
  client: HubspotClient,
  objectType: string,
  name: OwnPropertyName,
): Promise<KeyKind> {
  const part = `the property ${name} of ${objectType}`;
  const property: OwnProperty = OWN_PROPERTIES[name];
  const call = { operation: 'properties', part } as const;
  const look = async (): Promise<KeyKind | null> => {
    const path = HUBSPOT_PATHS.property(objectType, name);
    const { status, body } = await client.call({ ...call, method: 'GET', path, accept: [404] });
    if (status === 404) return null;
    const { name: foundName, hasUniqueValue } = asObject(body);
    if (foundName !== name) throw unexpected(part);
    if (!property.hasUniqueValue || hasUniqueValue === true) return 'unique';
    if (mayBePlain(name)) return 'plain';
    const message = `HubSpot has ${part}, but without unique values`;
    throw new CrmFailure({ code: 'property_not_unique', message, httpStatus: status }, NEVER);
  };
  const found = await look();
  if (found !== null) return found;
  // 409: another writer was faster.
  const groups = HUBSPOT_PATHS.propertyGroups(objectType);
  await client.call({ ...call, method: 'POST', path: groups, body: PROPERTY_GROUP, accept: [409] });
  const create = async (hasUniqueValue: boolean): Promise<KeyKind> => {
    const body = { ...property, name, groupName: PROPERTY_GROUP.name, hasUniqueValue };
    const path = HUBSPOT_PATHS.properties(objectType);
    const { status } = await client.call({ ...call, method: 'POST', path, body, accept: [409] });
    const made = hasUniqueValue || !property.hasUniqueValue ? 'unique' : 'plain';
    return status === 409 && mayBePlain(name) ? ((await look()) ?? made) : made;
  };
  try {
    return await create(property.hasUniqueValue);
  } catch (error) {
    const isRefused = error instanceof CrmFailure && error.error.httpStatus === 400;
    if (!isRefused || !mayBePlain(name)) throw error;
    // HubSpot does not say of which objects properties can be unique, and allows ten of them.
    return await create(false);
  }
}
