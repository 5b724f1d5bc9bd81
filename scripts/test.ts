import './pinned-node.ts';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.ts';
import { check } from './check.ts';
import { root, run, tool } from './processes.ts';
import { fetchRuntimes } from './runtimes.ts';
import { addCounts, countReport, failureLines, formatCounts, type Counts, type VitestReport } from './test-counts.ts';

/**
 * `npm test`: build, every check, every test but the long proofs, conformance of the server on the embedded database.
 * `npm run test:long`: build, the long proofs (`*.long.test.ts`), conformance on PostgreSQL and of the mock.
 * `npm test -- <vitest arguments>`: build and what vitest makes of the arguments, without the checks.
 *
 * The last line of stdout is `N passed, N failed` (and `, N skipped`), after a line `FAILED ...` for each failure. A check counts
 * as a test, so that the line and the exit code cannot contradict each other.
 */
async function main(): Promise<Counts> {
  const isLong = process.argv.includes('--long');
  const vitestArgs = process.argv.slice(2).filter((arg) => arg !== '--long');

  let counts: Counts;
  if (isLong || vitestArgs.length > 0) {
    counts = countSteps([{ ok: await build({ quiet: true }) }]);
  } else {
    counts = countSteps(await check());
  }
  if (vitestArgs.length > 0) return addCounts(counts, await runVitest(vitestArgs, isLong ? LONG : {}));
  if (!isLong) {
    const env = { SVC_CONFORMANCE_TARGETS: FIRST };
    const leaveOut = ['--exclude', '**/*.long.test.ts'];
    counts = addCounts(counts, await runVitest([...STATELESS, '--no-isolate', ...leaveOut], env));
    const others = STATELESS.flatMap((folder) => ['--exclude', `${folder}/**`]);
    return addCounts(counts, await runVitest([...others, ...leaveOut], env));
  }
  await fetchRuntimes();
  counts = addCounts(counts, await runVitest([], LONG));
  return addCounts(counts, await runVitest(CONFORMANCE_ARGS, { SVC_CONFORMANCE_TARGETS: OTHERS }));
}

const LONG = { SVC_TEST_LONG: '1' };
/** Folders whose tests leave nothing behind in their process: they need none of their own, which takes half as long. */
const STATELESS = [
  'packages/domain',
  'packages/contract',
  'packages/sequencers',
  'packages/sdk/src',
  'packages/mock/src',
];
/** Conformance targets; each takes minutes. */
const OTHERS = 'server-postgres,mock-msw,mock-fetch,svc-mock';
/** What starts its targets itself was done with the others. */
const CONFORMANCE_ARGS = ['packages/conformance/src', '--exclude', '**/{differential,process}*.test.ts'];
const FIRST = 'server-pglite';

/** A line per failure, so that the end of a log, all that may be kept of it, names them. */
const failures: string[] = [];

async function runVitest(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Counts> {
  // What tests make in the temporary folder, and what a killed process leaves there, goes with it.
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  // As root, PostgreSQL runs as another user, and its files are in there.
  chmodSync(folder, 0o711);
  const reportFile = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
    const { code } = await run(tool('vitest'), ['run', ...reporters, ...args], {
      inherit: true,
      env: { ...env, TMPDIR: folder },
    });
    const report: VitestReport | null = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : null;
    const counts = countReport(report, code);
    const lines = failureLines(report, root);
    failures.push(...lines);
    if (lines.length < counts.failed) failures.push(`FAILED vitest ${args.join(' ')}: exit code ${code}, see above`);
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function countSteps(results: readonly { readonly ok: boolean; readonly name?: string }[]): Counts {
  const passed = results.filter((result) => result.ok).length;
  failures.push(...results.filter((result) => !result.ok).map((result) => `FAILED ${result.name ?? 'build'}`));
  return { passed, failed: results.length - passed, skipped: 0 };
}

const counts = await main();
if (failures.length > 0) process.stdout.write(`${failures.join('\n')}\n`);
process.stdout.write(`${formatCounts(counts)}\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
