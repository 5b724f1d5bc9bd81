import { CrmFailure, NEVER, RETRY } from '../http-failure.ts';
import type { HubspotClient } from './client.ts';

/** HubSpot records by unique property: ensure the property, read, upsert, associate. */

/** Our own properties with unique values. HubSpot allows ten unique properties per object type. */
export const UNIQUE_PROPERTIES = {
  svc_event_key: 'Sequencer event key',
  svc_profile_url: 'Sequencer profile URL',
  svc_company_domain: 'Sequencer company domain',
} as const;
export type UniqueProperty = keyof typeof UNIQUE_PROPERTIES;

const PROPERTY_GROUP = { name: 'svc_sync', label: 'Sequencer sync', displayOrder: -1 };

export interface HubspotRecord {
  id: string;
  properties: Readonly<Record<string, unknown>>;
}

export interface Upsert {
  objectType: string;
  idProperty: string;
  id: string;
  properties: Readonly<Record<string, string>>;
  /** Names the record in error messages, such as "the contact". */
  part: string;
}

/** Creates one of our properties if it is missing. @throws CrmFailure also when it exists without unique values */
export async function ensureProperty(client: HubspotClient, objectType: string, name: UniqueProperty): Promise<void> {
  const part = `the property ${name} of ${objectType}`;
  const path = `/crm/v3/properties/${objectType}`;
  const found = await client.call({
    operation: 'properties',
    method: 'GET',
    path: `${path}/${name}`,
    part,
    accept: [404],
  });
  if (found.status !== 404) {
    if (asObject(found.body)['hasUniqueValue'] !== true) {
      throw new CrmFailure(
        {
          code: 'property_not_unique',
          message: `HubSpot has ${part}, but without unique values`,
          httpStatus: found.status,
        },
        NEVER,
      );
    }
    return;
  }
  // 409: another writer was faster.
  await client.call({
    operation: 'properties',
    method: 'POST',
    path: `${path}/groups`,
    part,
    body: PROPERTY_GROUP,
    accept: [409],
  });
  const definition = {
    name,
    label: UNIQUE_PROPERTIES[name],
    description: 'Makes a repeated write of the same thing change nothing. Do not edit.',
    groupName: PROPERTY_GROUP.name,
    type: 'string',
    fieldType: 'text',
    hasUniqueValue: true,
  };
  await client.call({ operation: 'properties', method: 'POST', path, part, body: definition, accept: [409] });
}

/** Returns the record with this value of a unique property, or null. */
export async function readRecord(
  client: HubspotClient,
  { objectType, idProperty, id, properties, part }: Omit<Upsert, 'properties'> & { properties: readonly string[] },
): Promise<HubspotRecord | null> {
  const { body } = await client.call({
    operation: 'read_records',
    method: 'POST',
    path: `/crm/v3/objects/${objectType}/batch/read`,
    body: { idProperty, inputs: [{ id }], properties },
    part,
  });
  const [result] = asList(asObject(body)['results']);
  return result === undefined ? null : toRecord(result, part);
}

/** Creates or updates one record; repeating it creates no second one. */
export async function upsertRecord(
  client: HubspotClient,
  { objectType, idProperty, id, properties, part }: Upsert,
): Promise<HubspotRecord> {
  const { body } = await client.call({
    operation: 'upsert_records',
    method: 'POST',
    path: `/crm/v3/objects/${objectType}/batch/upsert`,
    body: { inputs: [{ idProperty, id, properties }] },
    part,
  });
  const { results, errors } = asObject(body);
  const [result] = asList(results);
  if (result !== undefined) return toRecord(result, part);
  // 207: the batch was accepted, but its only item was refused.
  throw client.itemFailure(part, asList(errors)[0]);
}

/** Sets the default association. Repeating it changes nothing. */
export async function associate(
  client: HubspotClient,
  from: [type: string, id: string],
  to: [type: string, id: string],
  part: string,
): Promise<void> {
  const path = `/crm/v4/objects/${from[0]}/${from[1]}/associations/default/${to[0]}/${to[1]}`;
  try {
    await client.call({ operation: 'associate', method: 'PUT', path, part });
  } catch (error) {
    // Both records existed a moment ago: merged or deleted since, or not visible yet. The next attempt checks again.
    if (error instanceof CrmFailure && error.error.httpStatus === 404) throw new CrmFailure(error.error, RETRY);
    throw error;
  }
}

export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toRecord(value: unknown, part: string): HubspotRecord {
  const { id, properties } = asObject(value);
  // Ids are strings of digits; a path must not contain anything else.
  if (typeof id !== 'string' || !/^\d{1,30}$/.test(id)) {
    throw new CrmFailure(
      { code: 'unexpected_answer', message: `HubSpot's answer to ${part} has no id`, httpStatus: null },
      RETRY,
    );
  }
  return { id, properties: asObject(properties) };
}
