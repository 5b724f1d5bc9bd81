const SHOWN_MAX = 10;

/**
 * Returns the first characters of a key that may be a real one: enough to recognise it, at most a quarter of it, and only
 * characters that fit into a header and a line of a log.
 */
export function shortenKey(key: string): string {
  return `${key.slice(0, Math.min(SHOWN_MAX, Math.floor(key.length / 4))).replaceAll(/[^\w-]/g, '?')}...`;
}
