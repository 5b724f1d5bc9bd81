/** Longest piece of a caller's value that a message repeats. */
const SHOWN_CHARACTERS = 100;

/** What a caller sent, quoted for an error message: control characters escaped, and cut so that the message stays readable. */
export function quoteInput(text: string): string {
  // A character takes at most two units, so that a huge value is not taken apart whole.
  const shown = [...text.slice(0, 2 * SHOWN_CHARACTERS)].slice(0, SHOWN_CHARACTERS).join('');
  return shown === text ? JSON.stringify(text) : `${JSON.stringify(shown)}...`;
}
