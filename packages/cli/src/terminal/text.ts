import stringWidth from 'string-width';

/** The carriage return of a CRLF is harmless, and ends the rows of a CSV file. */
const CONTROL = /(?!\r\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Text of the service made safe for a terminal: a value must not move the cursor, change colours or reverse the
 * direction of what follows.
 */
export function sanitize(text: string): string {
  return escapeControls(text).replaceAll(/\r?\n|\t/g, ' ');
}

/**
 * The same for text of many lines, such as JSON and CSV. JSON stays the same document: the characters are in its strings only, and
 * are escaped as JSON escapes them.
 */
export function escapeControls(text: string): string {
  return text.replace(CONTROL, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Columns a text takes in a terminal, by the same measure that the tables are laid out with. */
export function displayWidth(text: string): number {
  // Nearly every text is plain ASCII.
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);
}
