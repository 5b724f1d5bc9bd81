/** The keys, for the page of `?`. */
const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['1 to 5, Tab', 'go to a panel'],
  ['j k, ↓ ↑', 'next, previous row'],
  ['g G, Home End', 'first, last row; the first one follows new rows'],
  ['PgUp PgDn, Ctrl-B -F', 'a page up, down'],
  ['Enter', 'open the selected row'],
  ['Esc', 'back; clears the filter'],
  ['/', 'filter the panel; /!text shows rows without the text'],
  ['e', 'explain a sync: what happened, and what to do'],
  ['r', 'retry a failed sync, after a question'],
  ['R', 'read everything again now'],
  ['p', 'pause; again: go on'],
  ['z', 'the panel fills the screen; again: back'],
  ['?', 'these keys'],
  ['q, Ctrl-C', 'quit'],
];

const NOTES = [
  'In panels 1 and 2, e and r concern the newest failed sync of the row.',
  'NO SYNC YET counts the requests that came after the newest one with a sync, with the age of the oldest: they wait to be written, or hold no event. The API does not tell how long the queue is.',
  'FAILED 1H counts among the newest 500 syncs. PER MIN is the mean of 5 minutes.',
];

export function helpLines(wrap: (text: string) => readonly string[], canWrite: boolean): string[] {
  const keys = KEYS.filter(([key]) => canWrite || key !== 'r');
  const width = Math.max(...keys.map(([key]) => key.length));
  return [...keys.map(([key, meaning]) => `  ${key.padEnd(width)}   ${meaning}`), '', ...NOTES.flatMap(wrap)];
}
