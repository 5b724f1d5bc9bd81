/** The world of every target (the demo world with extra fixtures), and the rows that each key sees. */
import { readFile } from 'node:fs/promises';
import { type Access, canSeeConnection, resolveAccess } from '@svc/domain/requests/access';
import { compareNewestFirst } from '@svc/domain/requests/page';
import {
  type ApiKeyRow,
  type DeliveryRow,
  materializeWorld,
  parseWorld,
  type RequestRow,
  type SyncRow,
} from '@svc/domain/world';
import { DEFAULT_KEY } from './client.ts';
import { addExtraFixtures } from './extra-fixtures.ts';

export const NOW = new Date('2026-03-31T12:00:00.000Z');
export const DAY_MS = 86_400_000;

const file = new URL('../../../../fixtures/demo-world.json', import.meta.url);
export const WORLD_FILE = parseWorld(addExtraFixtures(JSON.parse(await readFile(file, 'utf8'))));
export const WORLD = materializeWorld(WORLD_FILE, NOW);

/** The longest range that ends now. It contains all log rows of the demo world. */
export const MONTH = { from: new Date(NOW.getTime() - 31 * DAY_MS).toISOString(), to: NOW.toISOString() };

/** Keys that see different parts of the world. */
export const READING_KEYS = [
  DEFAULT_KEY,
  'osapi_demo_write',
  'osapi_demo_connection_read',
  'osapi_demo_connection_salesforce',
  'osapi_demo_other',
  'osapi_demo_no_webhooks',
  'osapi_demo_empty',
  // The connection of this key has no API access, so the key sees nothing, although other connections of the account have access.
  'osapi_demo_connection_no_api',
] as const;

/** An id that does not exist in the world. */
export const UNKNOWN_ID = 999_999;

export function keyRow(token: string): ApiKeyRow {
  return findRow(WORLD.apiKeys, (key) => key.token === token, token);
}

/** Returns the access of a key by the domain's rule. */
export function accessOf(token: string): Access {
  const key = keyRow(token);
  return resolveAccess(
    key,
    WORLD.connections.filter(({ accountId }) => accountId === key.accountId),
  );
}

/** Returns the rows that a key sees, by ascending id. */
export function visibleRows<Row extends { readonly id: number; readonly connectionId: number }>(
  token: string,
  rows: readonly Row[],
): Row[] {
  const { connectionIds } = accessOf(token);
  return rows.filter((row) => connectionIds.includes(row.connectionId)).toSorted((a, b) => a.id - b.id);
}

/** Returns the receipts that a key sees, in list order. Those without a connection are visible only to keys that see a source. */
export function visibleRequests(token: string): RequestRow[] {
  const access = accessOf(token);
  if (visibleRows(token, WORLD.sources).length === 0) return [];
  return WORLD.requests
    .filter((row) => row.accountId === access.accountId && canSeeConnection(access, row.connectionId))
    .toSorted(compareNewestFirst);
}

export function visibleSyncs(token: string): SyncRow[] {
  return visibleRows(token, WORLD.syncs).toSorted(compareNewestFirst);
}

export function visibleDeliveries(token: string): DeliveryRow[] {
  return visibleRows(token, WORLD.deliveries).toSorted(compareNewestFirst);
}

/** Returns the rows in a range, both ends included. */
export function within<Row extends { readonly createdAt: Date }>(
  rows: readonly Row[],
  range: { readonly from: string; readonly to: string },
): Row[] {
  const [from, to] = [new Date(range.from), new Date(range.to)];
  return rows.filter(({ createdAt }) => createdAt >= from && createdAt <= to);
}

/** Finds the row that a case is built on. Throws when the world has none. */
export function findRow<Row>(rows: readonly Row[], matches: (row: Row) => boolean, what: string): Row {
  const found = rows.find(matches);
  if (found === undefined) throw new Error(`The demo world has no ${what}.`);
  return found;
}
