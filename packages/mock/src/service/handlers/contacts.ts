import type { Access } from '@svc/domain/requests/access';
import {
  isCategoryOf,
  isRecipient,
  type OutreachKeys,
  outreachKeys,
  parseContactIdentity,
} from '@svc/domain/contacts/contact-identity';
import {
  aggregateOutreach,
  type CategorySignal,
  type OutreachRow,
  sumOutreachRows,
} from '@svc/domain/contacts/outreach';
import type { DeliveryRow, SyncRow } from '@svc/domain/world';
import { cachePerChunk } from '../../state/log.ts';
import { connectionsById, sourcesById } from '../../state/row-indexes.ts';
import type { WorldData } from '../../state/world-data.ts';
import { authorizedHandler } from '../call.ts';

export const getContactOutreach = authorizedHandler(({ world, access, query, now }) => {
  const { data } = world.state;
  const identity = parseContactIdentity({ email: query['email'], profileUrl: query['profileUrl'] });
  const keys = outreachKeys(identity);
  const sums = sumOutreachRows([...syncRows(data, access, keys), ...deliveryRows(data, access, keys)]);
  const categorySignals = categorySignalsOf(data, access, keys);
  return { json: aggregateOutreach({ identity, sums, categorySignals, now }) };
});

/** Rows by recipient in lower case. Old deliveries have none. */
const syncsByRecipient = cachePerChunk((rows: readonly SyncRow[]) =>
  Map.groupBy(rows, ({ toEmail }) => toEmail.toLowerCase()),
);
const deliveriesByRecipient = cachePerChunk((rows: readonly DeliveryRow[]) =>
  Map.groupBy(rows, ({ toEmail }) => toEmail?.toLowerCase() ?? null),
);

function syncRows(data: WorldData, access: Access, keys: OutreachKeys): OutreachRow[] {
  const crmOf = visibleCrms(data, access);
  return lookUp(syncsByRecipient(data.syncs), keys).filter((row) => {
    const crm = crmOf(row);
    return crm !== null && isRecipient(keys, row.toEmail, crm);
  });
}

/** Returns matching deliveries with the platform of their source, without deliveries that have no event type. */
function deliveryRows(data: WorldData, access: Access, keys: OutreachKeys): OutreachRow[] {
  const crmOf = visibleCrms(data, access);
  const sources = sourcesById(data.sources);
  return lookUp(deliveriesByRecipient(data.deliveries), keys).flatMap((row) => {
    const { eventType, payloadId, createdAt, toEmail, sourceId } = row;
    const crm = crmOf(row);
    if (crm === null || eventType === null || toEmail === null || !isRecipient(keys, toEmail, crm)) return [];
    const platform = (sourceId === null ? undefined : sources.get(sourceId))?.platform ?? null;
    return [{ eventType, platform, payloadId, createdAt }];
  });
}

/** Returns the categories that sequencers gave the contact. */
function categorySignalsOf(data: WorldData, access: Access, keys: OutreachKeys): CategorySignal[] {
  const crmOf = visibleCrms(data, access);
  return data.categorySignals
    .filter((row) => {
      const crm = crmOf(row);
      return crm !== null && isCategoryOf(keys, row.identity, crm);
    })
    .map(({ categoryName, at }) => ({ name: categoryName, at }));
}

/** Returns a function for the CRM of a row's connection; null when the connection is not visible. */
function visibleCrms(data: WorldData, access: Access): (row: { readonly connectionId: number }) => string | null {
  const connections = connectionsById(data.connections);
  return ({ connectionId }) =>
    access.connectionIds.includes(connectionId) ? (connections.get(connectionId)?.crm ?? null) : null;
}

function lookUp<Row>(chunks: readonly ReadonlyMap<string | null, readonly Row[]>[], keys: OutreachKeys): Row[] {
  const recipients = new Set([...keys.emailKeys, ...keys.profileKeys]);
  const found: Row[] = [];
  // Profiles have dozens of spellings and long logs hundreds of chunks, so this allocates nothing for misses.
  for (const chunk of chunks) {
    for (const recipient of recipients) {
      const rows = chunk.get(recipient);
      if (rows !== undefined) found.push(...rows);
    }
  }
  return found;
}
