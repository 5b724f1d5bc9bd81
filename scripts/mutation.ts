import './pinned-node.ts';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { judgeMutation, type MutationReport } from './mutation/verdict.ts';
import { root, run, tool } from './processes.ts';
import { runSteps, type StepOutcome, type StepResult } from './steps.ts';

const cache = join(root, '.cache', 'mutation');
const reportFile = join(cache, 'report.json');

/**
 * Changes the domain's rules in thousands of small ways, and counts those that its tests notice: `stryker.config.mjs`. Then breaks
 * the server in ways that are listed one by one, each of which the conformance suite must notice.
 */
export function testMutants(): Promise<StepResult[]> {
  const steps = [
    { name: 'mutation test (domain)', run: runStryker },
    { name: 'mutation test (conformance)', run: runConformance },
  ];
  // Each runs two at a time by itself.
  return runSteps(steps, { concurrency: 1 });
}

async function runConformance(): Promise<StepOutcome> {
  const { code, output } = await run(process.execPath, ['packages/conformance/mutations/run.ts']);
  const lines = output.trimEnd().split('\n');
  return { ok: code === 0, output, note: lines.at(-1) ?? '' };
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
