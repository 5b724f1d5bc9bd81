/** Record ids: three characters for the type, twelve for the record, and a check of upper and lower case in three more. */

const CHECK = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/** Returns the 18-character form of a 15-character id; other texts unchanged. */
export function toLongId(id: string): string {
  if (!/^[a-zA-Z0-9]{15}$/.test(id)) return id;
  const check = [0, 5, 10].map((start) => {
    const bits = [...id.slice(start, start + 5)].reduce(
      (sum, letter, index) => sum + (/[A-Z]/.test(letter) ? 2 ** index : 0),
      0,
    );
    return CHECK.charAt(bits);
  });
  return id + check.join('');
}

export function toId(prefix: string, number: number): string {
  return toLongId(`${prefix}Q${number.toString(36).padStart(11, '0')}`);
}
