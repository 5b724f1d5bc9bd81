import type { AccountCache } from './account-cache.ts';
import { CrmFailure } from '../http-failure.ts';
import type { HubspotClient } from './client.ts';
import { ensureProperty, type HubspotRecord, type UniqueProperty, type Upsert, upsertRecord } from './records.ts';
import type { CrmError, CrmWrite } from '../types.ts';

/** What is remembered between writes, per account. */
export interface HubspotMemory {
  /** Our properties that were seen to exist. */
  properties: AccountCache<void>;
  /** Owner ids by email; null where the account has no such user. */
  owners: AccountCache<string | null>;
  /** Company ids by domain. */
  companies: AccountCache<string>;
}

/** One write of one event. */
export interface HubspotSession {
  client: HubspotClient;
  memory: HubspotMemory;
  accountKey: string;
  write: CrmWrite;
  /** When the event happened, for the timeline. */
  at: Date;
  /** Parts that were refused while the rest went on. */
  warnings: CrmError[];
}

/** Runs a part that the event can do without. A refusal becomes a warning; what may succeed later still ends the write. */
export async function tryPart(session: HubspotSession, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    session.warnings.push(error.error);
  }
}

/**
 * An upsert by one of our own properties, which is made where it is missing. Knowledge that it exists may be stale (an
 * admin deleted it): a refusal that names it is looked into once.
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
    session.memory.properties.forget(propertyKey(session, objectType, idProperty));
    await ensureOwnProperty(session, objectType, idProperty);
    return await upsertRecord(session.client, upsert);
  }
}

export function ensureOwnProperty(session: HubspotSession, objectType: string, name: UniqueProperty): Promise<void> {
  const { client, memory } = session;
  return memory.properties.get(propertyKey(session, objectType, name), () => ensureProperty(client, objectType, name));
}

function propertyKey({ accountKey }: HubspotSession, objectType: string, name: UniqueProperty): string {
  return `${accountKey}/${objectType}/${name}`;
}
