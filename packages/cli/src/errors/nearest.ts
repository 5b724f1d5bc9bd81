import { quoteInput } from '@svc/domain/values/quote-input';
import { distance } from 'fastest-levenshtein';
import { usageError, type CliError } from './cli-error.ts';

/** The highest share of different letters in a suggestion; one letter may always differ. */
const WRONG_LETTERS_MAX = 1 / 3;

/** Words of other programs (gh, kubectl, Stripe CLI) for our values, verbs and flags. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  error: ['err', 'fail', 'failed', 'failure', 'failures', 'failing'],
  success: ['ok', 'succeed', 'succeeded', 'done'],
  warning: ['warn', 'warned'],
  ndjson: ['jsonl', 'jsonlines'],
  list: ['ls', 'index'],
  get: ['show', 'view', 'describe'],
  create: ['add', 'new'],
  delete: ['remove', 'rm'],
  remove: ['delete', 'rm'],
  '--jq': ['-q'],
  '--limit': ['-n'],
  '--yes': ['-y'],
  '--format': ['-o', '--output'],
  '--json': ['-o', '--output'],
};

/** Returns the name that was probably meant, or null. Case does not count. */
export function findNearest<Name extends string>(typed: string, names: readonly Name[]): Name | null {
  const word = typed.toLowerCase();
  const synonym = names.find((name) => SYNONYMS[name]?.includes(word));
  if (synonym !== undefined) return synonym;
  let nearest: Name | null = null;
  let best = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const edits = distance(word, name.toLowerCase());
    if (edits < best && edits < name.length && edits <= Math.max(1, name.length * WRONG_LETTERS_MAX)) {
      [nearest, best] = [name, edits];
    }
  }
  return nearest;
}

/** Returns "a, b or c". */
export function listAlternatives(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** @param name the flag, argument or setting that has the value */
export function notOneOf(
  name: string,
  typed: string,
  allowed: readonly string[],
  suggest: (value: string) => string = (value) => value,
): CliError {
  const nearest = findNearest(typed, allowed);
  const hint = nearest === null ? null : `Did you mean ${suggest(nearest)}?`;
  return usageError(`${name} must be ${listAlternatives(allowed)}, not ${quoteInput(typed)}`, hint);
}
