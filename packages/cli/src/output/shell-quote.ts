/** A word as a POSIX shell takes it, whatever is in it. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
