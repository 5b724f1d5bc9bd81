import type { List, PlatformEvent } from '@svc/sdk';
import type { LogRange } from '../../command/log-range.ts';
import type { Rows } from '../../command/print-list.ts';

/**
 * Returns the events of a range. The API has no range for events, so the log is read from the newest event back to the
 * start of the range.
 */
export function withinRange(list: List<PlatformEvent>, { fromMs, toMs }: LogRange): Rows<PlatformEvent> {
  if (fromMs === null && toMs === null) return list;
  return {
    async toArray({ limit = Number.POSITIVE_INFINITY } = {}) {
      const rows: PlatformEvent[] = [];
      for await (const event of list) {
        const createdMs = Date.parse(event.createdAt);
        if ((fromMs !== null && createdMs < fromMs) || rows.length >= limit) break;
        if (toMs === null || createdMs <= toMs) rows.push(event);
      }
      return rows;
    },
  };
}
