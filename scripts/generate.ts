import './pinned-node.ts';
import { runSteps, type Step } from './steps.ts';
import { root, run } from './processes.ts';
import { join } from 'node:path';

/**
 * Writes every generated file that is in git; `npm run check` fails when one is stale. The set-up, which npm runs before this, has made
 * the files that git does not hold.
 */
const generators = [
  'fixtures/generate-demo-world.ts',
  'packages/sequencers/scripts/readme-table.ts',
  'packages/sequencers/scripts/ready-mappings.ts',
  'packages/server/scripts/json-schemas.ts',
  'packages/server/scripts/command-names.ts',
  'packages/server/scripts/command-table.ts',
  'packages/dashboard/scripts/catalog.ts',
  'packages/dashboard/scripts/page-table.ts',
  'packages/cli/scripts/docs.ts',
  'packages/server/scripts/operating-docs.ts',
  'bench/scaling-docs.ts',
];

const steps = generators.map(
  (file): Step => ({
    name: file,
    run: async () => {
      const { code, output } = await run(process.execPath, [join(root, file)]);
      return { ok: code === 0, output };
    },
  }),
);
const results = await runSteps(steps, { concurrency: 1 });
process.exitCode = results.every((result) => result.ok) ? 0 : 1;
