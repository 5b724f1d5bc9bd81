import { readFileSync } from 'node:fs';

/** One entry of a vector file in `fixtures/rules/`: either `expected` or `error` is there. */
export interface RuleCase<Input, Expected> {
  /** The function that the case is for. */
  rule?: string;
  name: string;
  input: Input;
  expected?: Expected;
  /** Status and a part of the message: "404 Sync 0 not found". */
  error?: string;
  /** Why this is the right outcome. */
  reason: string;
}

/** The cases of one module. Fails when there are none, when one has no reason, or when two of a rule share a name. */
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
