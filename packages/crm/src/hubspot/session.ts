import type { CrmPipeline, CrmProperty } from '../port/setup.ts';
import type { CrmRecords } from '../port/types.ts';
import { CrmFailure, NEVER } from '../http/http-failure.ts';
import type { AccountCache } from '../records/account-cache.ts';
import type { HubspotClient } from './client.ts';
import { writeByPlainKey } from './plain-keys.ts';
import { ensureProperty, type KeyKind, mayBePlain, type OwnPropertyName } from './properties.ts';
import { type HubspotRecord, type RecordsOf, type UpsertInput, upsertRecords } from './records.ts';

/** By name. */
export type PropertyDefinitions = ReadonlyMap<string, CrmProperty>;

/** Caches between batches, per account. */
export interface HubspotCaches {
  /** Our properties that are known to exist. */
  properties: AccountCache<KeyKind>;
  /** Ids of the account's users by email. */
  owners: AccountCache<ReadonlyMap<string, string>>;
  /** What HubSpot says of the properties of contacts. */
  definitions: AccountCache<PropertyDefinitions>;
  /** The same, looked up again when a property was missing. */
  newDefinitions: AccountCache<PropertyDefinitions>;
  pipelines: AccountCache<readonly CrmPipeline[]>;
}

/** One batch of one account. */
export interface HubspotSession {
  client: HubspotClient;
  caches: HubspotCaches;
  accountKey: string;
  records: CrmRecords;
  now: Date;
  /** Ids of the account's users by email; null until they are needed. */
  owners: Promise<ReadonlyMap<string, string>> | null;
  /** Null until they are needed. */
  definitions: Promise<PropertyDefinitions> | null;
  newDefinitions: Promise<PropertyDefinitions> | null;
  /** The pipelines of deals; null until they are needed. */
  pipelines: Promise<readonly CrmPipeline[]> | null;
  /** Properties that the plans of the batch write to contacts that exist, and whether values are replaced there. */
  plannedNames: ReadonlyMap<string, boolean>;
}

/**
 * Upserts by one of our own properties, creating it if needed.
 *
 * @returns one record or failure per input, in order
 */
export async function upsertByOwnProperty(
  session: HubspotSession,
  records: RecordsOf & { idProperty: OwnPropertyName },
  inputs: readonly UpsertInput[],
): Promise<(HubspotRecord | CrmFailure)[]> {
  const { objectType, idProperty } = records;
  if (inputs.length === 0) return [];
  const kind = await findOwnProperty(session, objectType, idProperty);
  if (kind instanceof CrmFailure) return inputs.map(() => kind);
  const client = recheckProperties(session, objectType, [idProperty]);
  if (kind === 'plain') return await writeByPlainKey({ ...session, client }, records, inputs);
  let refusesKey = false;
  const unlessRefused: HubspotClient = {
    ...client,
    call: (call) =>
      client.call(call).catch((error: unknown) => {
        refusesKey ||= mayBePlain(idProperty) && isOfKey(error, idProperty);
        // Every input would be refused, so the batch is not divided.
        throw refusesKey && error instanceof CrmFailure
          ? new CrmFailure({ ...error.error, httpStatus: null }, NEVER)
          : error;
      }),
  };
  const answers = await upsertRecords(unlessRefused, records, inputs);
  refusesKey ||= mayBePlain(idProperty) && answers.every((answer) => isOfKey(answer, idProperty));
  if (!refusesKey) return answers;
  // HubSpot calls the property unique, but does not upsert by it.
  session.caches.properties.set(propertyKey(session, objectType, idProperty), 'plain');
  return await writeByPlainKey({ ...session, client }, records, inputs);
}

/** Whether HubSpot refuses a call because of the property by which it upserts, and not because of a value. */
function isOfKey(error: unknown, name: OwnPropertyName): boolean {
  if (!(error instanceof CrmFailure && error.error.httpStatus === 400)) return false;
  return error.message.includes(name) && !error.message.includes(` for ${name}`);
}

/**
 * Returns a client for upserts that use our properties. If HubSpot refuses one although it is cached as existing (an
 * admin deleted it), it is created again once, and every call that was sent before is repeated once.
 */
export function recheckProperties(
  session: HubspotSession,
  objectType: string,
  names: readonly OwnPropertyName[],
): HubspotClient {
  const unchecked = new Set(names);
  const checks = new Map<OwnPropertyName, Promise<CrmFailure | null>>();
  const check = (name: OwnPropertyName): Promise<CrmFailure | null> => {
    session.caches.properties.delete(propertyKey(session, objectType, name));
    return ensureOwnProperty(session, objectType, name).finally(() => unchecked.delete(name));
  };
  return {
    ...session.client,
    async call(call) {
      const sentWith = [...unchecked];
      try {
        return await session.client.call(call);
      } catch (error) {
        if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
        const { message } = error;
        const refused = sentWith.filter((name) => message.includes(name) && !message.includes(CONFLICT));
        if (refused.length === 0) throw error;
        for (const name of refused) {
          // Calls of one batch are sent at the same time, and all of them are refused.
          const checked = checks.get(name) ?? check(name);
          checks.set(name, checked);
          const failure = await checked;
          if (failure !== null) throw failure;
        }
        return await session.client.call(call);
      }
    },
  };
}

/** The code of a value that another record has. */
export const CONFLICT = 'CONFLICTING_UNIQUE_VALUE';

/** Creates a property of our own if needed; returns why that is not possible, or null. */
export async function ensureOwnProperty(
  session: HubspotSession,
  objectType: string,
  name: OwnPropertyName,
): Promise<CrmFailure | null> {
  const found = await findOwnProperty(session, objectType, name);
  return found instanceof CrmFailure ? found : null;
}

async function findOwnProperty(
  session: HubspotSession,
  objectType: string,
  name: OwnPropertyName,
): Promise<KeyKind | CrmFailure> {
  const { client, caches } = session;
  const key = propertyKey(session, objectType, name);
  try {
    return await caches.properties.get(key, () => ensureProperty(client, objectType, name));
  } catch (error) {
    if (error instanceof CrmFailure) return error;
    throw error;
  }
}

function propertyKey({ accountKey }: HubspotSession, objectType: string, name: OwnPropertyName): string {
  return `${accountKey}/${objectType}/${name}`;
}
