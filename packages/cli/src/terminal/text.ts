import stringWidth from 'string-width';

/** Control characters, except the carriage return of CRLF, which ends CSV rows. */
const CONTROL = /(?!\r\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Makes text of the service safe for a terminal: values must not move the cursor, change colours or reverse text.
 */
export function sanitize(text: string): string {
  return escapeControls(text).replaceAll(/\r?\n|\t/g, ' ');
}

/**
 * Escapes control characters in text of many lines. JSON keeps its meaning, because the characters only occur in strings
 * and get JSON escapes.
 */
export function escapeControls(text: string): string {
  return text.replace(CONTROL, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns the width of text in terminal columns; colours take none. */
export function displayWidth(text: string): number {
  // Fast path for ASCII.
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);
}
