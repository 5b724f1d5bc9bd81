/**
 * Compares a path with a pattern such as `/contacts/*`, where `*` captures one segment.
 *
 * @returns the captured segments, decoded, in order; null when the path does not match
 */
export function matchPath(pattern: string, path: string): string[] | null {
  const expected = pattern.split('/');
  const actual = path.split('/');
  if (expected.length !== actual.length) return null;
  const captured: string[] = [];
  for (const [index, part] of expected.entries()) {
    const segment = actual[index] ?? '';
    if (part === '*') captured.push(decodeURIComponent(segment));
    else if (part !== segment) return null;
  }
  return captured;
}
