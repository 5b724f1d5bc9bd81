/**
 * What happened in a world, in the order in which it happened: calls, outgoing posts, mails. A new entry makes a new history, and older ones
 * stay as they were, so a snapshot is a reference. Histories share one array, whose end only the newest of them extends: copying a part of it
 * for each call would be most of the garbage of a busy mock.
 */
export interface History<Entry> {
  /** Has the entries of newer histories behind those of this one. */
  readonly shared: readonly Entry[];
  readonly length: number;
}

/** Entries to keep; older ones are dropped, some hundred at a time. */
const ENTRIES_KEPT = 10_000;
const DROPPED_AT_ONCE = 500;

export const EMPTY_HISTORY: History<never> = { shared: [], length: 0 };

/** Returns the history with one more entry at its end. */
export function addEntry<Entry>(history: History<Entry>, entry: Entry): History<Entry> {
  const { shared, length } = history;
  const isFull = length >= ENTRIES_KEPT + DROPPED_AT_ONCE;
  // The empty history is shared by all worlds.
  if (length === 0 || isFull || shared.length > length) {
    const kept = [...shared.slice(isFull ? length - ENTRIES_KEPT : 0, length), entry];
    return { shared: kept, length: kept.length };
  }
  (shared as Entry[]).push(entry);
  return { shared, length: length + 1 };
}

/** Returns every entry, oldest first. */
export function entriesOf<Entry>({ shared, length }: History<Entry>): Entry[] {
  return shared.slice(0, length);
}
