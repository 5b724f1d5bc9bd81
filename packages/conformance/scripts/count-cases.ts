/** Prints how many cases each operation has, by status. `node packages/conformance/scripts/count-cases.ts` */
import { operations } from '@svc/contract/operations';
import { collectCases, type NamedCase } from '../src/harness/collect-cases.ts';

const cases = await collectCases(process.env);
const targets = [...new Set(cases.map(({ target }) => target))];

process.stdout.write(`${targets.map((target) => tableOf(target, cases)).join('\n\n')}\n`);

function tableOf(target: string, all: readonly NamedCase[]): string {
  const own = all.filter((each) => each.target === target);
  const lines = operations.map(({ id }) => {
    const ofOperation = own.filter(({ operationId }) => operationId === id);
    const statuses = [...Map.groupBy(ofOperation, ({ status }) => status)]
      .toSorted(([a], [b]) => a - b)
      .map(([status, group]) => `${status}: ${group.length}`);
    return `${id.padEnd(30)} ${String(ofOperation.length).padStart(4)}   ${statuses.join(', ')}`;
  });
  return [`${target}: ${own.length} cases of ${operations.length} operations`, ...lines].join('\n');
}
