/** The contract's `Blocklist`. */
import type { Blocklist } from '@svc/contract/types';
import type { BlockType } from '@svc/contract/vocabulary';
import type { BlocklistState } from '../blocklists/blocklist.ts';
import { toIsoOrNull } from './timestamp.ts';

export interface BlocklistRow extends Omit<BlocklistState, 'run'> {
  readonly id: number;
  readonly connectionId: number;
  readonly listName: string;
  /** CRM type of the connection, when known. */
  readonly crm: string | null;
  readonly platform: string;
  readonly blockType: BlockType;
  readonly clientId: string | null;
  readonly createdAt: Date;
}

export function toBlocklist(row: BlocklistRow): Blocklist {
  return {
    id: row.id,
    connectionId: row.connectionId,
    listName: row.listName,
    crm: row.crm,
    platform: row.platform,
    blockType: row.blockType,
    status: row.status,
    isEnabled: row.isEnabled,
    clientId: row.clientId,
    syncedCount: row.syncedCount,
    pendingCount: row.pendingCount,
    lastFetchedAt: toIsoOrNull(row.lastFetchedAt),
    lastError: row.lastError,
    lastAttemptedAt: toIsoOrNull(row.lastAttemptedAt),
    createdAt: row.createdAt.toISOString(),
  };
}
