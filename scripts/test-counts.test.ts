import { describe, expect, test } from 'vitest';
import { addCounts, countReport, failureLines, formatCounts } from './test-counts.ts';

const file = (status: string, ...statuses: string[]) => ({
  name: 'x.test.ts',
  status,
  assertionResults: statuses.map((one) => ({ status: one })),
});

describe('countReport', () => {
  test('counts tests of all files', () => {
    const report = {
      testResults: [file('passed', 'passed', 'passed', 'pending'), file('failed', 'failed', 'passed', 'todo')],
    };
    expect(countReport(report, 1)).toEqual({ passed: 3, failed: 1, skipped: 2 });
  });

  test('a file that could not be loaded is a failure', () => {
    expect(countReport({ testResults: [file('passed', 'passed'), file('failed')] }, 1)).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
    });
  });

  test('an error outside of all tests is a failure', () => {
    expect(countReport({ testResults: [file('passed', 'passed')] }, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test.each([0, 1])('a run without a single test is a failure, whatever its exit code (%i)', (exitCode) => {
    expect(countReport({ testResults: [] }, exitCode)).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(countReport(null, exitCode)).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(countReport({ testResults: [file('passed', 'skipped')] }, exitCode)).toEqual({
      passed: 0,
      failed: 1,
      skipped: 1,
    });
  });
});

describe('failureLines', () => {
  const failure = (fullName: string, ...failureMessages: string[]) => ({ status: 'failed', fullName, failureMessages });

  test('names each failed test by its file in the project and the first line of its message', () => {
    const testResults = [
      {
        name: '/a b/packages/x.test.ts',
        status: 'failed',
        assertionResults: [
          failure('group a test', '\u001B[31mAssertionError: expected 1 to be 2\u001B[39m\n    at x.test.ts:3'),
          { status: 'passed' },
          failure('another'),
        ],
      },
      file('passed', 'passed'),
    ];
    expect(failureLines({ testResults }, '/a b')).toEqual([
      'FAILED packages/x.test.ts > group a test: AssertionError: expected 1 to be 2',
      'FAILED packages/x.test.ts > another: no message',
    ]);
  });

  test('names a file that could not be loaded, and says nothing where nothing failed', () => {
    const broken = { ...file('failed', 'skipped'), message: 'SyntaxError: Unexpected token' };
    expect(failureLines({ testResults: [broken] }, '/')).toEqual(['FAILED x.test.ts: SyntaxError: Unexpected token']);
    expect(failureLines({ testResults: [file('passed', 'passed', 'skipped')] }, '/')).toEqual([]);
    expect(failureLines(null, '/')).toEqual([]);
  });
});

test('the closing line names skipped tests only where there are some', () => {
  expect(formatCounts({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
  expect(formatCounts(addCounts({ passed: 1, failed: 2, skipped: 3 }, { passed: 1, failed: 0, skipped: 0 }))).toBe(
    '2 passed, 2 failed, 3 skipped',
  );
});
