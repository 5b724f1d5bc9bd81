import { DATE_RANGE_MAX_MS } from '@svc/contract/limits';
import { DAY_MS } from '../../command/duration.ts';
import type { TimeRange } from '../../command/time-range.ts';

/**
 * Splits a range into parts of at most 31 days, oldest first, which are counted one by one and added up. Both ends of a
 * part are inclusive, so the parts do not share a millisecond.
 */
export function splitForCounting({ from, to }: TimeRange): TimeRange[] {
  const toMs = Date.parse(to);
  const parts: TimeRange[] = [];
  for (let startMs = Date.parse(from); startMs <= toMs; ) {
    const endMs = Math.min(startMs + DATE_RANGE_MAX_MS, toMs);
    parts.push({ from: iso(startMs), to: iso(endMs) });
    startMs = endMs + 1;
  }
  return parts;
}

export interface Day extends TimeRange {
  /** UTC day such as `2026-01-31`. */
  readonly day: string;
}

/** Splits a range into days, oldest first; the first and last are cut to the range. */
export function splitDays({ from, to }: TimeRange): Day[] {
  const toMs = Date.parse(to);
  const days: Day[] = [];
  for (let startMs = Date.parse(from); startMs <= toMs; ) {
    const nextMs = (Math.floor(startMs / DAY_MS) + 1) * DAY_MS;
    days.push({ day: iso(startMs).slice(0, 10), from: iso(startMs), to: iso(Math.min(nextMs - 1, toMs)) });
    startMs = nextMs;
  }
  return days;
}

/** Adds up numbers at any depth; other values are taken from the first answer. */
export function sumCounts<Counts extends object>(all: readonly [Counts, ...Counts[]]): Counts {
  const [first, ...rest] = all;
  const sum = Object.entries(first).map(([name, value]) => {
    const others = rest.map((counts) => Object.entries(counts).find(([key]) => key === name)?.[1]);
    return [name, sumValues(value, others)];
  });
  return Object.fromEntries(sum);
}

function sumValues(value: unknown, others: readonly unknown[]): unknown {
  if (typeof value === 'number') {
    return others.reduce<number>((sum, other) => sum + (typeof other === 'number' ? other : 0), value);
  }
  return isObject(value) ? sumCounts([value, ...others.filter(isObject)]) : value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
