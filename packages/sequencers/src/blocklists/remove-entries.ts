/** Removes entries from the block list of a sequencer one after the other: most platforms remove an entry by an id of theirs. */
import {
  type SequencerAnswer,
  type SequencerCall,
  type SequencerCallOptions,
  callSequencer,
} from './sequencer-call.ts';
import type { BlocklistFailure, RemovalOutcome } from './types.ts';

/** What became of one entry. */
export type Removal = { status: 'removed' } | { status: 'refused' } | { status: 'failed'; failure: BlocklistFailure };

export const REMOVED: Removal = { status: 'removed' };
export const REFUSED: Removal = { status: 'refused' };

/** Stops at the first failure, and after `timeoutMs` in all, so that one batch takes about as long as one slow call. */
export async function removeOneByOne(
  { now, timeoutMs }: Pick<SequencerCallOptions, 'now' | 'timeoutMs'>,
  values: readonly string[],
  remove: (value: string) => Promise<Removal>,
): Promise<RemovalOutcome> {
  const endMs = now().getTime() + timeoutMs;
  const removed: string[] = [];
  const refused: string[] = [];
  for (const [index, value] of values.entries()) {
    if (index > 0 && now().getTime() >= endMs) break;
    const removal = await remove(value);
    if (removal.status === 'failed') return { removed, refused, failure: removal.failure };
    (removal.status === 'removed' ? removed : refused).push(value);
  }
  return { removed, refused, failure: null };
}

export type EntryCall = Omit<SequencerCall, 'values' | 'isPresent'> & {
  /** Statuses that say that the list does not have the entry. */
  absent?: readonly number[];
};

/** Sends one request about an entry. `absent`: the list does not have it. */
export async function callAboutEntry(
  options: SequencerCallOptions,
  value: string,
  { absent = [], ...call }: EntryCall,
): Promise<SequencerAnswer | { status: 'absent' }> {
  let isAbsent = false;
  const answer = await callSequencer(options, {
    ...call,
    values: [value],
    isPresent: (status) => {
      isAbsent = absent.includes(status);
      return isAbsent;
    },
  });
  return isAbsent ? { status: 'absent' } : answer;
}

/** Returns what became of an entry after the last call about it. */
export function toRemoval(answer: SequencerAnswer | { status: 'absent' }): Removal {
  if (answer.status !== 'error') return REMOVED;
  // The call is about one entry, so a refusal because of entries is one of it.
  return answer.failure.suspects === undefined ? { status: 'failed', failure: answer.failure } : REFUSED;
}

/** Returns the failure of a call that only looks: it says nothing about the entry. */
export function withoutSuspects({ message, retry }: BlocklistFailure): BlocklistFailure {
  return { message, retry };
}

/** An answer that was not understood: the entry may be there. */
export function notUnderstood(platform: string): Removal {
  const message = `${platform} gave an answer about an entry that this release does not understand`;
  return { status: 'failed', failure: { message, retry: 'never' } };
}

/** A search without an end that can be waited for: the entry may be on a later page. */
export function tooManyPages(platform: string, pagesMax: number): Removal {
  const message = `${platform} finds more than ${pagesMax} pages of entries for one that is to be removed: remove it there`;
  return { status: 'failed', failure: { message, retry: 'never' } };
}

/** Returns the objects of a list; none for anything else. */
export function rowsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.flatMap((item) => (typeof item === 'object' && item !== null ? [{ ...item }] : []));
}

/** Returns an id as text; null for anything else, because a path without an id may name all entries. */
export function idOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

export function isSameEntry(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.trim().toLowerCase() === other.toLowerCase();
}
