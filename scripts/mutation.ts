import './pinned-node.ts';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { judgeMutation, type MutationReport } from './mutation/verdict.ts';
import { root, run, tool } from './processes.ts';
import { runSteps, type StepOutcome, type StepResult } from './steps.ts';

const cache = join(root, '.cache', 'mutation');
const reportFile = join(cache, 'report.json');

/** Changes the domain's rules in thousands of small ways, and counts those that its tests notice: `stryker.config.mjs`. */
export function testMutants(): Promise<StepResult[]> {
  return runSteps([{ name: 'mutation test (domain)', run: runStryker }]);
}

async function runStryker(): Promise<StepOutcome> {
  rmSync(reportFile, { force: true });
  // Every new thread would compile the test runner again.
  const env = { NODE_COMPILE_CACHE: join(cache, 'compiled') };
  const { code, output } = await run(tool('stryker'), ['run', '--logLevel', 'warn'], { env });
  const report: MutationReport | null = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : null;
  const { ok, summary, survivors } = judgeMutation(report);
  for (const survivor of survivors) process.stdout.write(`${survivor}\n`);
  // A score below the threshold is one of the reasons for another code than 0.
  if (ok && code === 0) return { ok, output: '', note: summary };
  return { ok: false, output: report === null || ok ? `${summary}\n${output}` : summary, note: summary };
}

if (import.meta.main) {
  const results = await testMutants();
  process.exitCode = results.every((result) => result.ok) ? 0 : 1;
}
