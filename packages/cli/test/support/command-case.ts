import type { ExitCode } from '../../src/errors/exit-codes.ts';
import type { Way } from './command-ways.ts';

/** One call of a command, and all that a caller may rely on: the same in every way unless it says otherwise. */
export interface CommandCase {
  /** What follows the command, as it is typed. */
  readonly words: string;
  readonly code: ExitCode;
  /** Ways in which it ends otherwise, and why. */
  readonly unlike?: { readonly [way in Way]?: ExitCode } & { readonly why: string };
  /** How it ends with `--json`, where it cannot be the same, and why. */
  readonly jsonCode?: ExitCode;
  readonly why?: string;
  /** The name of its key in the demo world; null: none. Default: the one that may write. */
  readonly key?: string | null;
  /** The name of the key that is piped in, or typed for `{key}`. */
  readonly keyOnStdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Two profiles are stored, `staging` and `other`, which is the default one. */
  readonly hasProfiles?: boolean;
  /** What it meets. The clock stands still at noon of 2026-01-15 unless it runs, from now on. */
  readonly world?: { readonly runs?: boolean; readonly scenarios?: readonly string[]; readonly settings?: object };
  /** What is piped in. A terminal has the end of the input for it. */
  readonly stdin?: string;
  /** What the pipe holds and nobody may read, such as what would do for an argument that is left out. */
  readonly unread?: string;
  /** The question of a terminal, and the answer. */
  readonly asked?: { readonly question: RegExp; readonly typed: string };
  /** It goes on for ever: Ctrl-C, once this was printed. */
  readonly until?: RegExp;
  /** What stdout holds. Default: a document where the code is 0, else nothing. */
  readonly out?: Output;
  /** What stderr holds, without `--json` and a terminal, when it is no failure. Default: nothing. */
  readonly notice?: RegExp;
  /** The same with `--json`: the text of a `note`. Default: nothing. */
  readonly note?: RegExp;
  /** Something in the output is of the moment, or made by chance. */
  readonly isOfTheMoment?: boolean;
  /** It is another program that speaks: its words and its output are its own affair. */
  readonly isForeign?: boolean;
}

/**
 * - document: text; with `--json` one JSON document
 * - lines: text, or nothing yet; with `--json` a document on each line
 * - JSON only: the text is on stderr
 * - empty list: the same, and the document is `[]`
 */
export type Output = 'document' | 'lines' | 'JSON only' | 'empty list' | 'nothing';

export const NOBODY = '--base-url http://127.0.0.1:9 --max-retries 0';
/** It has signed what the files `event.json` and `headers.txt` hold. */
export const SIGNING_SECRET = 'oswhsec_of_the_test';
export const RANGE = '--from 2026-01-14 --to 2026-01-15';
/** Works without a key. */
export const FOR_ANYBODY = { key: null } as const;
/** What everything of the API says to somebody without a key. */
export const NO_KEY: CommandCase = { words: '', code: 4, key: null };

export function good(words: string, more: Partial<CommandCase> = {}): CommandCase {
  return { words, code: 0, ...more };
}

/** @param unread in the pipe: what would make it good */
export function bad(words: string, unread?: string): CommandCase {
  return { words, code: 2, ...(unread === undefined ? {} : { unread }) };
}

export function missing(words: string): CommandCase {
  return { words, code: 3 };
}

export function forbidden(words: string): CommandCase {
  return { words, code: 5, key: 'osapi_demo_read' };
}

/** Done in a terminal, once the question is answered; elsewhere nobody can be asked. */
export function asks(words: string, question: RegExp, more: Partial<CommandCase> = {}): CommandCase {
  const unlike = { terminal: 0, why: 'there it is asked, and the answer is yes' } as const;
  return { words, code: 2, unlike, asked: { question, typed: 'y\n' }, ...more };
}

export function endless(words: string, until: RegExp, more: Partial<CommandCase> = {}): CommandCase {
  return { words, code: 130, until, out: 'lines', isOfTheMoment: true, ...more };
}
