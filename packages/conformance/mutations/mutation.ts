/** One change to the server, or to the rules it follows, that breaks a promise of the API. */
export interface Mutation {
  readonly id: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The rule of the API that no longer holds. */
  readonly breaks: string;
  /** Files in `packages/conformance/src`, one of whose cases must fail. */
  readonly suites: readonly string[];
  /** Which of their cases, as a pattern of full names: `listSyncs > 200`. */
  readonly only: string;
}

/**
 * The text of the file with the mutation in it.
 *
 * @throws Error when `find` does not stand there exactly once, or the replacement changes nothing
 */
export function mutate(text: string, { id, file, find, replace }: Mutation): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${id}: what it changes stands ${parts.length - 1} times in ${file}`);
  if (find === replace) throw new Error(`${id} changes nothing`);
  return parts.join(replace);
}
