import type { Sync } from '@svc/contract/types';

/**
 * Returns a key that all syncs of one event share: the API does not name the event of a sync. Without a payload, each sync counts
 * as an event of its own.
 */
export function toEventKey({ id, payloadId, connectionId, eventType, toEmail }: Sync): string {
  return payloadId === null ? String(id) : JSON.stringify([payloadId, connectionId, eventType, toEmail]);
}
