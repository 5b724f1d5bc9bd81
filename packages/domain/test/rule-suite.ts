/**
 * Runs the test vectors of `fixtures/rules/<module>.json`:
 *
 * { "cases": [ { "rule", "name", "input", "expected" | "error", "reason" } ] }
 *
 * Instants are ISO-8601 strings, undefined is null, and `error` is the status and a part of the message: "404 Sync 0 not found".
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ApiError } from '../src/errors/errors.ts';

/** A case of a vector file. It has either `expected` or `error`. */
interface RuleCase<Input, Expected> {
  /** The tested function. Missing in a file for one function. */
  rule?: string;
  name: string;
  input: Input;
  expected?: Expected;
  /** Status and a part of the message: "404 Sync 0 not found". */
  error?: string;
  /** Why this is the right outcome. */
  reason: string;
}

/** Reads the cases of one module. Throws when there are none, when one has no reason, or when two of a rule share a name. */
export function readRuleCases<Input, Expected>(module: string): RuleCase<Input, Expected>[] {
  const file = new URL(`../../../fixtures/rules/${module}.json`, import.meta.url);
  const { cases }: { cases: RuleCase<Input, Expected>[] } = JSON.parse(readFileSync(file, 'utf8'));
  if (cases.length === 0) throw new Error(`${module}: no cases`);
  const titles = new Set<string>();
  for (const { rule, name, reason, expected, error } of cases) {
    const title = `${module}: ${rule}: ${name}`;
    if (titles.has(title)) throw new Error(`${title} is there twice`);
    titles.add(title);
    if (!reason) throw new Error(`${title} has no reason`);
    if ((expected === undefined) === (error === undefined)) throw new Error(`${title} needs expected or error`);
  }
  return cases;
}

interface RuleSuite {
  /** Runs every case of one rule. `Input` is the shape of `input` in the file. */
  readonly rule: <Input>(name: string, run: (input: Input) => unknown) => void;
}

/** Declares one test per case. Fails when a rule of the file is not run, or a rule has no case. */
export function testRuleCases(module: string, declare: (suite: RuleSuite) => void): void {
  const rulesRun = new Set<string>();
  declare({
    rule(name, run) {
      rulesRun.add(name);
      const cases = readRuleCases<Parameters<typeof run>[0], unknown>(module).filter(({ rule }) => rule === name);
      test.each(cases)('$name ($reason)', (ruleCase) => checkCase(ruleCase, () => run(ruleCase.input)));
    },
  });
  test(`fixtures/rules/${module}.json holds cases of exactly the rules tested here`, () => {
    const rulesInFile = new Set(readRuleCases(module).map(({ rule }) => rule));
    expect(rulesInFile).toEqual(rulesRun);
  });
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
