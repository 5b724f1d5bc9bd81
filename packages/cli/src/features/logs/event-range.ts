import type { List, PlatformEvent } from '@svc/sdk';
import { usageError } from '../../errors/cli-error.ts';
import type { Rows } from '../../command/print-list.ts';
import { parseMoment, type RangeFlags } from '../../command/time-range.ts';

/** A range of the event log; missing ends are infinite. */
export interface EventRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** @throws CliError (exit 2) */
export function resolveEventRange(flags: RangeFlags, nowMs: number): EventRange | null {
  const from = flags.from ?? flags.since;
  const to = flags.to ?? flags.until;
  if (from === undefined && to === undefined) return null;
  const fromMs = from === undefined ? Number.NEGATIVE_INFINITY : parseMoment(from, nowMs, 'start');
  const toMs = to === undefined ? Number.POSITIVE_INFINITY : parseMoment(to, nowMs, 'end');
  if (fromMs > toMs) throw usageError(`The range ends before it begins: ${from} to ${to}`);
  return { fromMs, toMs };
}

/**
 * Returns the events of a range. The API has no range for events, so the log is read from the newest event back to the
 * start of the range.
 */
export function withinRange(list: List<PlatformEvent>, { fromMs, toMs }: EventRange): Rows<PlatformEvent> {
  return {
    async toArray({ limit = Number.POSITIVE_INFINITY } = {}) {
      const rows: PlatformEvent[] = [];
      for await (const event of list) {
        const createdMs = Date.parse(event.createdAt);
        if (createdMs < fromMs || rows.length >= limit) break;
        if (createdMs <= toMs) rows.push(event);
      }
      return rows;
    },
  };
}
