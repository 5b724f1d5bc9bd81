const SHOWN_CHARACTERS = 100;

/** Quotes a caller's value for an error message, with control characters escaped, cut to 100 characters. */
export function quoteInput(text: string): string {
  // A character has at most two units; slicing first avoids splitting a huge value.
  const shown = [...text.slice(0, 2 * SHOWN_CHARACTERS)].slice(0, SHOWN_CHARACTERS).join('');
  return shown === text ? JSON.stringify(text) : `${JSON.stringify(shown)}...`;
}
