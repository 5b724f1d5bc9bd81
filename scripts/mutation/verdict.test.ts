import { describe, expect, test } from 'vitest';
import { judgeMutation, type MutationReport } from './verdict.ts';

const source = 'export function isLater(a: number, b: number): boolean {\n  return a > b;\n}\n';
const location = { start: { line: 2, column: 10 }, end: { line: 2, column: 15 } };

/** A report with this many mutants of each status. */
function reportOf(counts: Readonly<Record<string, number>>, least: number | null = 90): MutationReport {
  const mutants = Object.entries(counts).flatMap(([status, count]) =>
    Array.from({ length: count }, () => ({ mutatorName: 'EqualityOperator', status, replacement: 'a >= b', location })),
  );
  return { config: { thresholds: { break: least } }, files: { 'src/later.ts': { source, mutants } } };
}

describe('judgeMutation', () => {
  test('what made a test fail or never end was noticed, all else was not', () => {
    const verdict = judgeMutation(
      reportOf({ Killed: 900, Timeout: 20, Survived: 40, NoCoverage: 30, RuntimeError: 10 }),
    );
    expect(verdict.summary).toBe('92 % of 1000 mutants were noticed (at least 90 %)');
    expect(verdict.ok).toBe(true);
    expect(verdict.survivors).toHaveLength(80);
  });

  test('mutants that the source takes out do not count', () => {
    expect(judgeMutation(reportOf({ Killed: 1000, Ignored: 500 })).summary).toContain('100 % of 1000 mutants');
  });

  test('passes at the threshold, fails below it, and never shows the one as the other', () => {
    expect(judgeMutation(reportOf({ Killed: 1800, Survived: 200 })).ok).toBe(true);
    const below = judgeMutation(reportOf({ Killed: 1799, Survived: 201 }));
    expect(below.ok).toBe(false);
    expect(below.summary).toContain('89.9 %');
  });

  test.each([
    ['no report', null],
    ['no file', { config: { thresholds: { break: 90 } }, files: {} }],
    ['too few mutants', reportOf({ Killed: 999 })],
    ['no threshold', reportOf({ Killed: 2000 }, null)],
    ['everything taken out', reportOf({ Ignored: 2000 })],
    ['nothing that could be run', reportOf({ RuntimeError: 2000 })],
  ])('%s is a failure', (_, report) => {
    expect(judgeMutation(report).ok).toBe(false);
  });

  test('a survivor is shown with its place, what stood there and what replaced it', () => {
    expect(judgeMutation(reportOf({ Survived: 1 })).survivors).toEqual([
      'src/later.ts:2:10 Survived, EqualityOperator: a > b -> a >= b',
    ]);
  });

  test('a survivor of several lines is shown in one', () => {
    const report = reportOf({ Survived: 1 });
    const mutants = [
      {
        mutatorName: 'BlockStatement',
        status: 'Survived',
        replacement: '{}',
        location: { start: { line: 1, column: 56 }, end: { line: 3, column: 2 } },
      },
    ];
    const { survivors } = judgeMutation({ ...report, files: { 'src/later.ts': { source, mutants } } });
    expect(survivors).toEqual(['src/later.ts:1:56 Survived, BlockStatement: { return a > b; } -> {}']);
  });
});
