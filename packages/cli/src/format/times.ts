import type { Cell } from '../terminal/table.ts';

let isLocal = false;

/** Sets whether times are shown in the time zone of this machine (`TZ`) from now on; by default they are UTC. */
export function showLocalTimes(isShown: boolean): void {
  isLocal = isShown;
}

const UTC_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;
const UTC_TIMES = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z\b/g;

/** Converts the UTC timestamps in a text to the form `2026-03-14T09:05:00.000+01:00` if local times are shown. */
export function localizeTimes(text: string): string {
  return isLocal ? text.replace(UTC_TIMES, toLocal) : text;
}

/** Shortens a timestamp to the form `2026-03-14 08:05Z`, or `2026-03-14 09:05+01:00` if local times are shown. */
export function toMinute(timestamp: string): string {
  return shorten(timestamp, 16);
}

/** Like `toMinute`, with seconds. */
export function toSecond(timestamp: string): string {
  return shorten(timestamp, 19);
}

/** Returns the day of a timestamp. */
function toDay(timestamp: string): string {
  return localizeTimes(timestamp).slice(0, 10);
}

/** A time in a table; programs get the whole timestamp. */
export function timeCell(timestamp: string): Cell {
  return { text: toMinute(timestamp), raw: timestamp };
}

/** The day of a time in a table; programs get the whole timestamp. */
export function dayCell(timestamp: string): Cell {
  return { text: toDay(timestamp), raw: timestamp };
}

function shorten(timestamp: string, length: number): string {
  if (!UTC_TIME.test(timestamp)) return timestamp;
  const shown = localizeTimes(timestamp);
  const offset = shown.endsWith('Z') ? 'Z' : shown.slice(-'+00:00'.length);
  return `${shown.slice(0, 'YYYY-MM-DD'.length)} ${shown.slice('YYYY-MM-DDT'.length, length)}${offset}`;
}

function toLocal(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp;
  const offset = -time.getTimezoneOffset();
  const shifted = new Date(time.getTime() + offset * 60_000).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${shifted}${offset < 0 ? '-' : '+'}${pad(hours)}:${pad(minutes)}`;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}
