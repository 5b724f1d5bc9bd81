import type { Sync } from '@svc/sdk';

/** Whether two syncs are attempts to write the same event. Without a request, the event of a sync is unknown. */
export function isSameEvent(a: Sync, b: Sync): boolean {
  return (
    a.payloadId !== null &&
    a.payloadId === b.payloadId &&
    a.connectionId === b.connectionId &&
    a.eventType === b.eventType &&
    a.toEmail.toLowerCase() === b.toEmail.toLowerCase()
  );
}
