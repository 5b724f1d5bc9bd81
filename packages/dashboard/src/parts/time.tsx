import { useEffect, useState } from 'react';
import { Tooltip } from './tooltip.tsx';

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
/** Without "last yr.". */
const counted = new Intl.RelativeTimeFormat('en', { style: 'narrow' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** Returns how far an instant is from another one: `3m ago`, `in 2h`; `now` below ten seconds. */
function describeDistance(instant: Date, now: Date): string {
  const seconds = Math.round((instant.getTime() - now.getTime()) / 1_000);
  const size = Math.abs(seconds);
  if (size < 10) return 'now';
  for (const [unit, length] of UNITS) {
    const format = unit === 'day' ? relative : counted;
    if (size >= length) return format.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(seconds, 'second');
}

/** An instant relative to now; the exact one, in local time and UTC, is in a tooltip. */
export function Time({ at, none = '–' }: { at: string | null | undefined; none?: string }) {
  const now = useNow(10_000);
  if (at === null || at === undefined) return <span>{none}</span>;
  const instant = new Date(at);
  return (
    <Tooltip text={`${exact.format(instant)} (${instant.toISOString()})`}>
      <time dateTime={at}>{describeDistance(instant, now)}</time>
    </Tooltip>
  );
}

/** An instant in local time, for places where the order of several matters. */
export function ExactTime({ at }: { at: string }) {
  const instant = new Date(at);
  return (
    <Tooltip text={instant.toISOString()}>
      <time dateTime={at}>{exact.format(instant)}</time>
    </Tooltip>
  );
}

/** Returns the present, renewed every `everyMs` milliseconds. */
function useNow(everyMs: number): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
