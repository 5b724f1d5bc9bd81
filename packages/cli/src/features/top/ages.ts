import { toSecond } from '../../format/times.ts';

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

/** Returns how long ago a time was, such as `3m`. */
export function toAge(timestamp: string, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(timestamp)) / 1000));
  const unit = UNITS.find(([, length]) => seconds >= length);
  return unit === undefined ? `${seconds}s` : `${Math.floor(seconds / unit[1])}${unit[0]}`;
}

/** Returns a time without its day if it is today, else without its year and seconds. */
export function toShortTime(timestamp: string, nowMs: number): string {
  const [day = '', time = ''] = toSecond(timestamp).split(' ');
  const [today] = toSecond(new Date(nowMs).toISOString()).split(' ');
  if (day === today || time === '') return time || day;
  return `${day.slice('YYYY-'.length)} ${time.replace(/:\d\d(?=Z|[+-])/, '')}`;
}
