/**
 * `@svc/sdk/validate`: validates answers against the contract. An entry of its own, because the schemas and zod/mini are as large as
 * the client.
 */
import { answers } from '@svc/contract/answers';
import { ConfigurationError } from '../errors/errors.ts';
import type { AnsweredOperation, AnswerValidator } from './answer-validator.ts';

export type { AnsweredOperation, AnswerValidator } from './answer-validator.ts';

/** `warn` reports problems and accepts the answer. `strict` ends the call with an `InvalidResponseError`. */
export type ValidationMode = 'warn' | 'strict';

/** A field of an answer that differs from the contract. Holds no value of the answer. */
export interface AnswerProblem {
  readonly method: string;
  /** Path template, such as `/api/v1/syncs/{id}`. */
  readonly path: string;
  readonly status: number;
  /** Field of the body, such as `data[3].createdAt`; empty for the body itself. */
  readonly field: string;
  /** Description, such as `data[3].createdAt is null, not a string`. */
  readonly message: string;
}

/** Options of `createValidator`. */
export interface ValidatorOptions {
  /**
   * Called once for each kind of problem: the same field in another row or a later answer is the same kind. Used with `warn` only.
   * Default: writes a line with `console.warn`.
   */
  readonly onProblem?: ((problem: AnswerProblem) => void) | undefined;
}

/**
 * Creates a validator for the option `validate` of `createClient`. It compares names and types of fields with the contract. Unknown
 * fields, enum values and answers are accepted, so that later releases of the service break nothing. Error bodies and answers
 * of `client.raw` are not validated.
 *
 * @throws ConfigurationError for an unknown mode
 * @example createClient({ baseUrl, apiKey, validate: createValidator('strict') })
 */
export function createValidator(mode: ValidationMode, options: ValidatorOptions = {}): AnswerValidator {
  if (mode !== 'warn' && mode !== 'strict') throw new ConfigurationError("The mode must be 'warn' or 'strict'");
  if (mode === 'strict') {
    return (operation, status, body) => {
      const [first, ...others] = findIssues(operation, status, body);
      if (first === undefined) return null;
      const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
      return `is not as the contract has it: ${describeIssue(first)}${more}`;
    };
  }
  const { onProblem = warnOnConsole } = options;
  const reported = new Set<string>();
  return ({ method, path }, status, body) => {
    for (const issue of findIssues({ method, path }, status, body)) {
      const message = describeIssue(issue);
      const kind = `${method} ${path} ${status} ${message.replaceAll(/\[\d+\]/g, '[]')}`;
      if (reported.has(kind)) continue;
      reported.add(kind);
      onProblem({ method, path, status, field: toFieldPath(issue.path), message });
    }
    return null;
  };
}

function findIssues({ method, path }: AnsweredOperation, status: number, body: unknown): readonly FoundIssue[] {
  // `jitless`, because pages and Workers may forbid generated code.
  return (
    answers[`${method} ${path} ${status}`]?.safeParse(body, { jitless: true, reportInput: true }).error?.issues ?? []
  );
}

function warnOnConsole({ method, path, message }: AnswerProblem): void {
  // oxlint-disable-next-line no-console -- `warn` without `onProblem` asks for it
  console.warn(`svc-sdk: the answer to ${method} ${path} is not as the contract has it: ${message}`);
}

/** The parts of a zod issue that are reported. The value itself is left out: it may be personal data. */
interface FoundIssue {
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
function describeIssue(issue: FoundIssue): string {
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
function toFieldPath(path: readonly PropertyKey[]): string {
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
