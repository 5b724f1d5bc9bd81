/** The time range of a log, as the address of its page has it. */

export const RANGES = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 } as const;
export const DEFAULT_RANGE = '24h';
const HOUR_MS = 3_600_000;

export interface RangeFilter {
  /** A name of `RANGES`; others and none mean the default. */
  readonly range: string;
  /** An exact start, as ISO 8601. It wins over `range`. */
  readonly from: string;
  readonly to: string;
}

/** Returns the range for the API. Without an exact end it ends now. */
export function toApiRange({ range, from, to }: RangeFilter, now: Date): { from: string; to?: string } {
  const hours = RANGES[range as keyof typeof RANGES] ?? RANGES[DEFAULT_RANGE];
  return {
    from: from === '' ? new Date(now.getTime() - hours * HOUR_MS).toISOString() : from,
    ...(to === '' ? {} : { to }),
  };
}

/** Returns the value of a `datetime-local` field for an instant of the address; empty for none and for what is no instant. */
export function toLocalField(instant: string): string {
  const at = new Date(instant);
  if (instant === '' || Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the instant of a `datetime-local` field; empty for an empty field. */
export function fromLocalField(value: string): string {
  const at = new Date(value);
  return value === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
