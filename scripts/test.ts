import './pinned-node.ts';
import './end-with-parent.ts';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from './build.ts';
import { check } from './check.ts';
import { root, run, tool } from './processes.ts';
import { fetchRuntimes } from './runtimes.ts';
import type { StepResult } from './steps.ts';
import {
  addCounts,
  countReport,
  failureLines,
  formatCounts,
  slowestFiles,
  type Counts,
  type VitestReport,
} from './test-counts.ts';
import { LACKING_FILE, lackingLines } from './vitest/lacking.ts';

/** Conformance targets of `npm test` and of `npm run test:long`. */
const FIRST_TARGETS = 'server-pglite,mock-fetch';
const OTHER_TARGETS = 'server-postgres,mock-msw,svc-mock';

/** Parts and forms of the dashboard, in chromium. */
const COMPONENTS = ['--config', 'packages/dashboard/vitest.browser.config.ts'];

const WITHOUT_LONG = ['--exclude', '**/*.long.test.{ts,tsx}'];

/** One text per failure, printed last: often only the end of a log is kept. */
const failures: string[] = [];
const reports: VitestReport[] = [];
/** What the test processes say that this machine lacks. */
const lackingFile = join(mkdtempSync(join(tmpdir(), 'svc-lacking-')), 'lines');

/**
 * `npm test`: build, every check, every test but the long ones; conformance of the server on the embedded database and of
 * `mock.fetch`.
 * `npm run test:long`: build, conformance on the other targets, the long tests (`*.long.test.ts`), components of the dashboard in chromium.
 * `npm test -- <vitest arguments>`: build, then vitest with these arguments, without the checks and without long tests, unless
 * one is named; `npm run test:long -- <vitest arguments>`: only long tests, at full size.
 *
 * The last line of stdout is `N passed, N failed` (and `, N skipped`), after the ten slowest test files, what was left out
 * because this machine lacks a program, and, for each failure,
 * a line `FAILED ...` with the begin of its message. A check counts as a test, so that the line and the exit code cannot contradict each other.
 */
async function main(): Promise<Counts> {
  const isLong = process.argv.includes('--long');
  const vitestArgs = process.argv.slice(2).filter((arg) => arg !== '--long');
  const long = { SVC_TEST_LONG: '1' };

  const built = await build({ quiet: true });
  const buildCounts = countSteps([{ name: 'build', ok: built }]);
  // Hundreds of tests need the bundles.
  if (!built) return buildCounts;
  if (vitestArgs.length > 0) {
    // A folder holds long tests too, but somebody who names the file of one wants it run.
    const namesLong = vitestArgs.some((arg) => arg.includes('.long.test'));
    const args = isLong || namesLong ? vitestArgs : [...vitestArgs, ...WITHOUT_LONG];
    return addCounts(buildCounts, await runVitest(args, isLong ? long : {}));
  }
  if (!isLong) {
    const counts = addCounts(buildCounts, countSteps(await check()));
    const env = { SVC_CONFORMANCE_TARGETS: FIRST_TARGETS };
    return addCounts(counts, await runVitest(WITHOUT_LONG, env));
  }
  // What waits for the network or for one browser runs beside what needs the processors.
  // The other tests of the package start their targets themselves, in `npm test`.
  const suites = ['packages/conformance/src/suites', ...WITHOUT_LONG];
  const [conformance] = await Promise.all([
    runVitest(suites, { SVC_CONFORMANCE_TARGETS: OTHER_TARGETS }),
    fetchRuntimes(),
  ]);
  const [longTests, components] = await Promise.all([runVitest([], long), runVitest(COMPONENTS, {}, 'at its end')]);
  return [buildCounts, conformance, longTests, components].reduce(addCounts);
}

/** @param shown when its output is printed */
async function runVitest(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  shown: 'at once' | 'at its end' = 'at once',
): Promise<Counts> {
  // Tests, and processes that they kill, leave files in the temporary folder.
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  // PostgreSQL runs as another user for root, and its files are in this folder.
  chmodSync(folder, 0o711);
  const reportFile = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
    const { code, output } = await run(tool('vitest'), ['run', ...reporters, ...args], {
      inherit: shown === 'at once',
      // The bundles are those of the build above.
      env: { ...env, SVC_TEST_BUNDLES: '1', TMPDIR: folder, [LACKING_FILE]: lackingFile },
    });
    process.stdout.write(output);
    const report: VitestReport | null = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : null;
    if (report !== null) reports.push(report);
    const counts = countReport(report, code);
    const lines = failureLines(report, root);
    failures.push(...lines);
    if (lines.length < counts.failed) failures.push(`FAILED vitest ${args.join(' ')}: exit code ${code}, see above`);
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function countSteps(results: readonly StepResult[]): Counts {
  const passed = results.filter((result) => result.ok).length;
  failures.push(...results.filter((result) => !result.ok).map((result) => `FAILED ${result.name}`));
  return { passed, failed: results.length - passed, skipped: 0 };
}

const counts = await main();
process.stdout.write(
  slowestFiles(reports, root)
    .map((line) => `slowest ${line}\n`)
    .join(''),
);
const left = existsSync(lackingFile) ? lackingLines(readFileSync(lackingFile, 'utf8')) : [];
rmSync(dirname(lackingFile), { recursive: true, force: true });
if (left.length > 0) process.stdout.write(`${left.join('\n')}\n`);
if (failures.length > 0) process.stdout.write(`${failures.join('\n')}\n`);
process.stdout.write(`${formatCounts(counts)}\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
