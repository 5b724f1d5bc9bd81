/** Text from elsewhere, such as stored values, for a terminal. */

/** Escapes control characters, so that stored values cannot move the cursor, change colours or reverse text direction. */
export function sanitize(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) =>
    /\s/.test(character) ? ' ' : escapeOf(character),
  );
}

/**
 * Returns JSON in which everything is escaped that `sanitize` escapes: JSON strings may have every character escaped, and
 * `JSON.stringify` leaves these as they are.
 */
export function toTerminalJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f\p{Bidi_Control}\u2028\u2029]/gu, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
