import stringWidth from 'string-width';

const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text of the service made safe for a terminal: a value must not move the cursor, change colours or reverse the
 * direction of what follows.
 */
export function sanitize(text: string): string {
  return text.replace(CONTROL, (character) =>
    character === '\n' || character === '\t' ? ' ' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Columns a text takes in a terminal, by the same measure that the tables are laid out with. */
export function displayWidth(text: string): number {
  // Nearly every text is plain ASCII.
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);
}
