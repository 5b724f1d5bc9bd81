/**
 * Runs the vectors of `fixtures/rules/<module>.json` that name the function they are for:
 *
 * { "cases": [ { "rule", "name", "input", "expected" | "error", "reason" } ] }
 *
 * Instants are ISO-8601 strings, "no value" is null, and `error` is the status and a part of the message of the
 * refusal: "404 Sync 0 not found".
 */
import { expect, test } from 'vitest';
import { ApiError } from '../src/errors/errors.ts';
import { type RuleCase, readRuleCases } from './rule-cases.ts';

interface RuleSuite {
  /** Runs every case of one rule. `Input` is the shape of `input` in the file. */
  readonly rule: <Input>(name: string, run: (input: Input) => unknown) => void;
}

/** One test per case; fails when the file has a rule that nothing runs, or a rule has no case. */
export function testRuleCases(module: string, declare: (suite: RuleSuite) => void): void {
  const rulesRun = new Set<string>();
  declare({
    rule(name, run) {
      rulesRun.add(name);
      const cases = readNamedCases<Parameters<typeof run>[0]>(module).filter(({ rule }) => rule === name);
      test.each(cases)('$name ($reason)', (ruleCase) => checkCase(ruleCase, () => run(ruleCase.input)));
    },
  });
  test(`fixtures/rules/${module}.json holds cases of exactly the rules tested here`, () => {
    const rulesInFile = new Set(readNamedCases(module).map(({ rule }) => rule));
    expect(rulesInFile).toEqual(rulesRun);
  });
}

function readNamedCases<Input>(module: string): (RuleCase<Input, unknown> & { rule?: string })[] {
  return readRuleCases<Input, unknown>(module);
}

function checkCase({ expected, error }: RuleCase<unknown, unknown>, run: () => unknown): void {
  if (error === undefined) {
    expect(toData(run())).toEqual(expected);
    return;
  }
  const refusal = catchRefusal(run);
  const [status = '', ...words] = error.split(' ');
  expect(refusal.statusCode).toBe(Number(status));
  expect(refusal.message).toContain(words.join(' '));
}

function catchRefusal(run: () => unknown): ApiError {
  let result: unknown;
  try {
    result = run();
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown;
    throw thrown;
  }
  throw new Error(`should have been refused, but gave ${JSON.stringify(result)}`);
}

function toData(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}
