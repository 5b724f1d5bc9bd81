/** The contract's `SyncResource`. */
import type { Sync } from '@svc/contract/types';
import type { SyncStatus } from '@svc/contract/vocabulary';
import { sortKeysDeep } from '../values/sort-keys.ts';

export interface SyncRow {
  readonly id: number;
  readonly status: SyncStatus;
  readonly connectionId: number;
  readonly sourceId: number | null;
  readonly eventType: string;
  readonly toEmail: string;
  readonly platform: string;
  readonly payloadId: number | null;
  readonly error: Sync['error'];
  readonly createdAt: Date;
}

export function toSync(row: SyncRow): Sync {
  return {
    id: row.id,
    status: row.status,
    connectionId: row.connectionId,
    sourceId: row.sourceId,
    eventType: row.eventType,
    toEmail: row.toEmail,
    platform: row.platform,
    payloadId: row.payloadId,
    error: sortKeysDeep(row.error),
    createdAt: row.createdAt.toISOString(),
  };
}
