import { asList, asObject, asText } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmOption, CrmProperty, CrmPropertyType } from '../port/setup.ts';
import type { CrmError } from '../port/types.ts';
import { type HubspotClient, unexpected } from './client.ts';
import { isLastValueProperty } from './last-values.ts';
import { HUBSPOT_PATHS } from './paths.ts';
import type { HubspotSession, PropertyDefinitions } from './session.ts';

/** What HubSpot says of the properties of contacts: one call per account and day, and only when plans name properties. */

/** The account lacks properties for last values. */
const NOT_PREPARED: CrmError = {
  code: 'last_values_not_prepared',
  message: 'HubSpot has no properties for last values: make them with `svc-server connections prepare ID`',
  httpStatus: null,
};

/** HubSpot's longest text of one property. */
const TEXT_MAX = 65_536;

/** Address, owner and company have rules of their own; status and stage are those of `outcomes`. */
const WRITTEN_OTHERWISE = new Set([
  'email',
  'hs_additional_emails',
  'hubspot_owner_id',
  'associatedcompanyid',
  'hs_lead_status',
  'lifecyclestage',
]);

/** @throws CrmFailure */
export async function readDefinitions(client: HubspotClient): Promise<PropertyDefinitions> {
  const part = 'the properties of contacts';
  const { body } = await client.call({
    operation: 'properties',
    method: 'GET',
    path: HUBSPOT_PATHS.properties('contacts'),
    part,
  });
  const { results } = asObject(body);
  if (!Array.isArray(results)) throw unexpected(part);
  return new Map(results.flatMap(toProperty).map((property) => [property.name, property]));
}

/**
 * Returns the definitions, which all events of the batch share. When one of the named properties is missing, they are looked up again,
 * every ten minutes at most: somebody may have made it since.
 *
 * @throws CrmFailure
 */
export async function definitionsFor(session: HubspotSession, names: readonly string[]): Promise<PropertyDefinitions> {
  const { caches, accountKey, client } = session;
  // Also a refusal is shared by the events of the batch.
  session.definitions ??= caches.definitions.get(accountKey, () => {
    const read = readDefinitions(client);
    // They are as new as can be: they need no second look.
    session.newDefinitions ??= caches.newDefinitions.get(accountKey, () => read);
    return read;
  });
  const known = await session.definitions;
  if (names.every((name) => known.has(name))) return known;
  session.newDefinitions ??= caches.newDefinitions.get(accountKey, () => readDefinitions(client));
  const newer = await session.newDefinitions;
  if (names.every((name) => newer.has(name))) caches.definitions.delete(accountKey);
  return newer;
}

export function forgetDefinitions({ caches, accountKey }: HubspotSession): void {
  caches.definitions.delete(accountKey);
  caches.newDefinitions.delete(accountKey);
}

function toProperty(value: unknown): CrmProperty[] {
  const { name, label, type, fieldType, options, calculated, externalOptions, modificationMetadata } = asObject(value);
  if (typeof name !== 'string') return [];
  const kind = toType(type, fieldType);
  const isFixed = calculated === true || asObject(modificationMetadata)['readOnlyValue'] === true;
  const isOurs = WRITTEN_OTHERWISE.has(name) || name.startsWith('svc_');
  const listed = type === 'enumeration' && externalOptions !== true ? toOptions(options) : [];
  return [
    {
      name,
      label: asText(label) ?? name,
      type: kind,
      options: listed.length === 0 || kind === 'boolean' ? null : listed,
      maxLength: kind === 'text' ? TEXT_MAX : null,
      isWritable: !isFixed && !isOurs,
    },
  ];
}

const TYPES: ReadonlyMap<unknown, CrmPropertyType> = new Map([
  ['string', 'text'],
  ['phone_number', 'text'],
  ['number', 'number'],
  ['bool', 'boolean'],
  ['date', 'date'],
  ['datetime', 'datetime'],
]);

function toType(type: unknown, fieldType: unknown): CrmPropertyType {
  if (type !== 'enumeration') return TYPES.get(type) ?? 'other';
  if (fieldType === 'booleancheckbox') return 'boolean';
  return fieldType === 'checkbox' ? 'options' : 'option';
}

/** In the order in which HubSpot shows them. */
function toOptions(options: unknown): CrmOption[] {
  const shown = asList(options).flatMap((option) => {
    const { value, label, displayOrder } = asObject(option);
    const order = typeof displayOrder === 'number' && displayOrder >= 0 ? displayOrder : Number.MAX_SAFE_INTEGER;
    return typeof value === 'string' ? [{ value, label: asText(label) ?? value, order }] : [];
  });
  return shown.toSorted((a, b) => a.order - b.order).map(({ value, label }) => ({ value, label }));
}

export function missingProperty(name: string): CrmError {
  if (isLastValueProperty(name)) return NOT_PREPARED;
  const message = `HubSpot has no property ${name} of contacts`;
  return { code: 'no_such_property', message, httpStatus: null };
}

/**
 * Returns a client for upserts of contacts. When HubSpot refuses a batch because a property is gone since the definitions were read,
 * the batch is sent again without it: otherwise every input would be refused, and the batch be divided down to each.
 *
 * @param gone gets the names of such properties
 */
export function withoutGoneProperties(client: HubspotClient, gone: Set<string>): HubspotClient {
  return {
    ...client,
    async call(call) {
      let { body } = call;
      for (;;) {
        try {
          return await client.call({ ...call, body });
        } catch (error) {
          const names = namesGone(error).filter((name) => hasProperty(body, name));
          if (names.length === 0) throw error;
          for (const name of names) gone.add(name);
          body = withoutProperties(body, names);
        }
      }
    },
  };
}

/** Returns the properties that HubSpot says it does not have. Our own are made again by others. */
export function namesGone(error: unknown): string[] {
  if (!(error instanceof CrmFailure && error.isRefusal)) return [];
  return [...error.message.matchAll(/PROPERTY_DOESNT_EXIST for (\w+)/g)].flatMap(([, name]) => name ?? []);
}

function hasProperty(body: unknown, name: string): boolean {
  return asList(asObject(body)['inputs']).some((input) => Object.hasOwn(asObject(asObject(input)['properties']), name));
}

function withoutProperties(body: unknown, names: readonly string[]): object {
  const inputs = asList(asObject(body)['inputs']).map((input) => {
    const properties = Object.entries(asObject(asObject(input)['properties']));
    return { ...asObject(input), properties: Object.fromEntries(properties.filter(([name]) => !names.includes(name))) };
  });
  return { ...asObject(body), inputs };
}
