/** The parts of a zod issue that are reported. The value itself is left out: it may be personal data. */
export interface FoundIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly input?: unknown;
  /** Set for `invalid_type`. */
  readonly expected?: string;
  /** Set for `invalid_format`. */
  readonly format?: string;
  /** Set for `too_small`. */
  readonly minimum?: number | bigint;
}

/** Returns a phrase such as `data[3].createdAt is null, not a string`, with `the body` for the body as a whole. */
export function describeIssue(issue: FoundIssue): string {
  const subject = toFieldPath(issue.path) || 'the body';
  const { code, input, expected = '', format = '', minimum } = issue;
  switch (code) {
    case 'invalid_type':
      return `${subject} is ${kindOf(input, expected)}, not ${withArticle(NAMES_OF_KINDS[expected] ?? expected)}`;
    case 'invalid_format':
      return `${subject} is text, but no ${NAMES_OF_FORMATS[format] ?? format}`;
    case 'too_small':
      return `${subject} is less than ${minimum}`;
    default:
      return `${subject} is not as it should be (${code})`;
  }
}

/** Returns `data[3].createdAt` for `['data', 3, 'createdAt']`. */
export function toFieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

const NAMES_OF_KINDS: Readonly<Record<string, string>> = { int: 'integer' };
const NAMES_OF_FORMATS: Readonly<Record<string, string>> = { datetime: 'instant in UTC', url: 'URL' };

function kindOf(value: unknown, expected: string): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  // The kind would be "a number", which explains nothing.
  if (typeof value === 'number' && expected === 'int') return 'a fraction';
  return withArticle(typeof value);
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
