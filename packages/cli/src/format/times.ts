import type { Cell } from '../terminal/table.ts';

const UTC_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*Z$/;

/** Shortens a timestamp to the form `2026-03-14 08:05Z`. */
export function toMinute(timestamp: string): string {
  return UTC_TIME.test(timestamp) ? `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}Z` : timestamp;
}

/** A time in a table; programs get the whole timestamp. */
export function timeCell(timestamp: string): Cell {
  return { text: toMinute(timestamp), raw: timestamp };
}

/** The day of a time in a table; programs get the whole timestamp. */
export function dayCell(timestamp: string): Cell {
  return { text: timestamp.slice(0, 10), raw: timestamp };
}
