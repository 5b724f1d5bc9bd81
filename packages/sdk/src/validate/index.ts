/**
 * Answers held against the contract, for those who want it: `createClient({ validate: createValidator('strict') })`. An
 * entry of its own, because it brings all schemas and zod/mini, as much again as the client.
 */
import { answers } from '@svc/contract/answers';
import { ConfigurationError } from '../errors/errors.ts';
import type { AnsweredOperation, AnswerValidator } from './answer-validator.ts';
import { describeIssue, type FoundIssue, toFieldPath } from './describe-issue.ts';

export type { AnsweredOperation, AnswerValidator } from './answer-validator.ts';

/** `warn` reports and lets the answer through; `strict` ends the call with an `InvalidResponseError`. */
export type ValidationMode = 'warn' | 'strict';

/** A field of an answer that is not as the contract has it. Holds no value of the answer. */
export interface AnswerProblem {
  readonly method: string;
  /** Template, such as `/api/v1/syncs/{id}`. */
  readonly path: string;
  readonly status: number;
  /** Where in the body, such as `data[3].createdAt`; empty for the body itself. */
  readonly field: string;
  /** Such as `data[3].createdAt is null, not a string`. */
  readonly message: string;
}

/** What `createValidator` takes beside the mode. */
export interface ValidatorOptions {
  /**
   * Told of each kind of problem once: the same field of another row, or of a later answer, is the same kind. Only in `warn`.
   * Default: a line on `console.warn`.
   */
  readonly onProblem?: ((problem: AnswerProblem) => void) | undefined;
}

/**
 * What `createClient` takes as `validate`. Names and kinds of fields are held against the contract. Unknown fields, unknown
 * values of enumerations and answers that the contract does not know always pass, so that a later release of the service
 * breaks nobody. Error bodies and `client.raw` are not looked at.
 *
 * @throws ConfigurationError for a mode that is neither
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
  const told = new Set<string>();
  return ({ method, path }, status, body) => {
    for (const issue of findIssues({ method, path }, status, body)) {
      const message = describeIssue(issue);
      const kind = `${method} ${path} ${status} ${message.replaceAll(/\[\d+\]/g, '[]')}`;
      if (told.has(kind)) continue;
      told.add(kind);
      onProblem({ method, path, status, field: toFieldPath(issue.path), message });
    }
    return null;
  };
}

function findIssues({ method, path }: AnsweredOperation, status: number, body: unknown): readonly FoundIssue[] {
  // Without own code made at run time, which pages and Workers may forbid.
  return (
    answers[`${method} ${path} ${status}`]?.safeParse(body, { jitless: true, reportInput: true }).error?.issues ?? []
  );
}

function warnOnConsole({ method, path, message }: AnswerProblem): void {
  // oxlint-disable-next-line no-console -- asked for by whoever sets `warn` and gives no `onProblem`
  console.warn(`svc-sdk: the answer to ${method} ${path} is not as the contract has it: ${message}`);
}
