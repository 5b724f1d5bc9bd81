import type { AccountCache } from '../account-cache.ts';
import { CrmFailure } from '../http-failure.ts';
import type { HubspotClient } from './client.ts';
import { ensureProperty, type HubspotRecord, type UniqueProperty, type Upsert, upsertRecord } from './records.ts';
import type { CrmError, CrmWrite } from '../types.ts';

/** Caches between writes, per account. */
export interface HubspotCaches {
  /** Our properties that are known to exist. */
  properties: AccountCache<void>;
  /** Owner ids by email; null when the account has no such user. */
  owners: AccountCache<string | null>;
  /** Company ids by domain. */
  companies: AccountCache<string>;
}

/** One write of one event. */
export interface HubspotSession {
  client: HubspotClient;
  caches: HubspotCaches;
  accountKey: string;
  write: CrmWrite;
  /** When the event happened, for the timeline. */
  at: Date;
  /** Errors of refused optional parts. */
  warnings: CrmError[];
}

/** Runs an optional part. A refusal becomes a warning; a temporary failure still ends the write. */
export async function tryOptionalPart(session: HubspotSession, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    session.warnings.push(error.error);
  }
}

/**
 * Upserts by one of our own properties, creating it if needed. If HubSpot refuses the property although it is cached as
 * existing (an admin deleted it), it is checked once more.
 */
export async function upsertByOwnProperty(
  session: HubspotSession,
  upsert: Upsert & { idProperty: UniqueProperty },
): Promise<HubspotRecord> {
  const { objectType, idProperty } = upsert;
  await ensureOwnProperty(session, objectType, idProperty);
  try {
    return await upsertRecord(session.client, upsert);
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal && error.message.includes(idProperty))) throw error;
    session.caches.properties.delete(propertyKey(session, objectType, idProperty));
    await ensureOwnProperty(session, objectType, idProperty);
    return await upsertRecord(session.client, upsert);
  }
}

export function ensureOwnProperty(session: HubspotSession, objectType: string, name: UniqueProperty): Promise<void> {
  const { client, caches } = session;
  return caches.properties.get(propertyKey(session, objectType, name), () => ensureProperty(client, objectType, name));
}

function propertyKey({ accountKey }: HubspotSession, objectType: string, name: UniqueProperty): string {
  return `${accountKey}/${objectType}/${name}`;
}
