import { stripVTControlCharacters } from 'node:util';

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** The used part of vitest's JSON report. */
export type VitestReport = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    /** Milliseconds since 1970. */
    readonly startTime?: number;
    readonly endTime?: number;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName?: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
};

/**
 * Counts the tests of a run. A file that could not be loaded counts as one failure. So does the run itself when nothing else explains its exit
 * code: an unhandled error, a failed global setup, no test found.
 *
 * @param report null when vitest ended before it wrote its report
 * @param exitCode of vitest
 */
export function countReport(report: VitestReport | null, exitCode: number): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report?.testResults ?? []) {
    const statuses = file.assertionResults.map((result) => result.status);
    counts.passed += statuses.filter((status) => status === 'passed').length;
    const failedTests = statuses.filter((status) => status === 'failed').length;
    counts.failed += failedTests === 0 && file.status === 'failed' ? 1 : failedTests;
    counts.skipped += statuses.filter((status) => status !== 'passed' && status !== 'failed').length;
  }
  const ranNothing = counts.passed + counts.failed === 0;
  if (counts.failed === 0 && (exitCode !== 0 || ranNothing)) counts.failed = 1;
  return counts;
}

const SHOWN_SLOWEST = 10;

/** Returns the slowest files, the slowest first: `12.3 s packages/a.test.ts`. */
export function slowestFiles(reports: readonly VitestReport[], root: string): string[] {
  return reports
    .flatMap(({ testResults }) => testResults)
    .map(({ name, startTime = 0, endTime = 0 }) => ({ name: relativeTo(root, name), ms: endTime - startTime }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, SHOWN_SLOWEST)
    .map(({ name, ms }) => `${(ms / 1_000).toFixed(1)} s ${name}`);
}

/** Enough for the seed, path and counterexample of a property. */
const MESSAGE_LINES_MAX = 6;
const MESSAGE_LENGTH_MAX = 1_500;

/** Returns a text per failure with file, test and the begin of the message; its second and later lines are indented. */
export function failureLines(report: VitestReport | null, root: string): string[] {
  return (report?.testResults ?? []).flatMap((file) => {
    const name = relativeTo(root, file.name);
    const failed = file.assertionResults.filter((result) => result.status === 'failed');
    if (failed.length === 0) return file.status === 'failed' ? [`FAILED ${name}: ${messageBegin(file.message)}`] : [];
    return failed.map((test) => `FAILED ${name} > ${test.fullName ?? '?'}: ${messageBegin(test.failureMessages?.[0])}`);
  });
}

function relativeTo(root: string, path: string): string {
  return path.startsWith(root) ? path.slice(root.length).replace(/^[\\/]/, '') : path;
}

/** Returns the first lines of a message, without its stack. */
function messageBegin(text: string | undefined): string {
  const lines = stripVTControlCharacters(text ?? '').split(/\r?\n/);
  const stack = lines.findIndex((line) => /^\s+at /.test(line));
  const shown = (stack === -1 ? lines : lines.slice(0, stack)).filter((line) => line.trim() !== '');
  const begin = shown.slice(0, MESSAGE_LINES_MAX).join('\n    ').slice(0, MESSAGE_LENGTH_MAX);
  return begin === '' ? 'no message' : begin;
}

export function addCounts(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

export function formatCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
