import type { ExitCode } from '../../src/errors/exit-codes.ts';
import type { Way } from './command-ways.ts';

/** One call of a command and its expected result, which is the same for each kind of stdin unless `exceptions` says otherwise. */
export interface CommandCase {
  /** Arguments and flags, separated by spaces. */
  readonly words: string;
  readonly code: ExitCode;
  /** Kinds of stdin for which the exit code differs, and why. */
  readonly exceptions?: { readonly [way in Way]?: ExitCode } & { readonly why: string };
  /** Exit code with `--json` if it differs, with the reason in `why`. */
  readonly jsonCode?: ExitCode;
  readonly why?: string;
  /** The name of a key of the demo world; null: no key. Default: the key with write access. */
  readonly key?: string | null;
  /** The name of a key that is piped in, or typed in place of `{key}`. */
  readonly keyOnStdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Stores two profiles, `staging` and `other` (the default). */
  readonly hasProfiles?: boolean;
  /** State of the service. The clock stands at noon of 2026-01-15; with `runs` it starts at the present and runs. */
  readonly world?: { readonly runs?: boolean; readonly scenarios?: readonly string[]; readonly settings?: object };
  /** Piped input. In a terminal, Ctrl-D is typed instead. */
  readonly stdin?: string;
  /** Pipe content that the command must not read, for example the value of a missing argument. */
  readonly unreadStdin?: string;
  /** A prompt in a terminal and the answer to type. */
  readonly prompt?: { readonly question: RegExp; readonly typed: string };
  /** The command runs until interrupted; it gets Ctrl-C once this has been printed. */
  readonly until?: RegExp;
  /** Expected stdout. Default: a document for exit code 0, else nothing. */
  readonly out?: StdoutKind;
  /** Expected stderr of a success without `--json` and terminal. Default: nothing. */
  readonly notice?: RegExp;
  /** Expected text of the `note` on stderr with `--json`. Default: no note. */
  readonly note?: RegExp;
  /** The output contains times or random values. */
  readonly isVolatile?: boolean;
  /** The command hands over to another program, whose output is not checked. */
  readonly isOtherProgram?: boolean;
}

/**
 * - document: text, or one JSON document
 * - lines: text or nothing yet, or one JSON document per line
 * - JSON only: one JSON document; without `--json` the text is on stderr
 * - empty list: like JSON only, with the document `[]`
 */
export type StdoutKind = 'document' | 'lines' | 'JSON only' | 'empty list' | 'nothing';

export const NO_SERVICE = '--base-url http://127.0.0.1:9 --max-retries 0';
/** Signed the payload in `event.json`; the signature is in `headers.txt`. */
export const SIGNING_SECRET = 'oswhsec_of_the_test';
export const RANGE = '--from 2026-01-14 --to 2026-01-15';
export const WITHOUT_KEY = { key: null } as const;
/** The result of every API command without a key. */
export const NO_KEY: CommandCase = { words: '', code: 4, key: null };

export function good(words: string, more: Partial<CommandCase> = {}): CommandCase {
  return { words, code: 0, ...more };
}

/** @param unreadStdin a value in the pipe that would make the call valid */
export function bad(words: string, unreadStdin?: string): CommandCase {
  return { words, code: 2, ...(unreadStdin === undefined ? {} : { unreadStdin }) };
}

export function missing(words: string): CommandCase {
  return { words, code: 3 };
}

export function forbidden(words: string): CommandCase {
  return { words, code: 5, key: 'osapi_demo_read' };
}

/** A command that asks for confirmation in a terminal and fails elsewhere. */
export function asks(words: string, question: RegExp, more: Partial<CommandCase> = {}): CommandCase {
  const exceptions = { terminal: 0, why: 'asks for confirmation, answered with yes' } as const;
  return { words, code: 2, exceptions, prompt: { question, typed: 'y\n' }, ...more };
}

export function endless(words: string, until: RegExp, more: Partial<CommandCase> = {}): CommandCase {
  return { words, code: 130, until, out: 'lines', isVolatile: true, ...more };
}
