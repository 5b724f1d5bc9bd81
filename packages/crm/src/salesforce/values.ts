/** Reads parts of Salesforce's answers, whatever they are. */

export function isId(value: unknown, prefix = ''): value is string {
  return typeof value === 'string' && /^[a-zA-Z0-9]{15}(?:[a-zA-Z0-9]{3})?$/.test(value) && value.startsWith(prefix);
}

const CHECK = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/**
 * Returns the 18-character form of an id: the 15 characters, in which case matters, and three more that tell which of them
 * are in upper case.
 */
export function toLongId(id: string): string {
  if (id.length !== 15) return id;
  const check = [0, 5, 10].map((start) => {
    const letters = [...id.slice(start, start + 5)];
    return CHECK.charAt(letters.reduce((sum, letter, index) => sum + (/[A-Z]/.test(letter) ? 2 ** index : 0), 0));
  });
  return id + check.join('');
}
