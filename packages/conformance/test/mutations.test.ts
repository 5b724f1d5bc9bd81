/** The list of mutations keeps up with the code, and what counts as noticed. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { MUTATIONS } from '../mutations/list.ts';
import { mutate, type Mutation } from '../mutations/mutation.ts';
import { judge, judgeBaseline, type SuiteReport } from '../mutations/verdict.ts';

const root = new URL('../../../', import.meta.url);
const pathOf = (file: string) => fileURLToPath(new URL(file, root));

const MUTATION: Mutation = {
  id: 'later',
  file: 'later.ts',
  find: 'a > b',
  replace: 'a >= b',
  breaks: 'later is not at once',
  suites: [],
  only: '',
};

describe('the list of mutations', () => {
  test.each(MUTATIONS)('$id changes one place of its file, and names suites that exist', (mutation) => {
    expect(mutate(readFileSync(pathOf(mutation.file), 'utf8'), mutation)).not.toBe('');
    expect(mutation.suites.length).toBeGreaterThan(0);
    const missing = mutation.suites.filter((suite) => !existsSync(pathOf(`packages/conformance/src/${suite}`)));
    expect(missing).toEqual([]);
  });

  test('holds each id once, and many', () => {
    expect(new Set(MUTATIONS.map(({ id }) => id)).size).toBe(MUTATIONS.length);
    expect(MUTATIONS.length).toBeGreaterThan(90);
  });
});

describe('mutate', () => {
  test('replaces the one place, as it is written', () => {
    expect(mutate('return a > b;', MUTATION)).toBe('return a >= b;');
    expect(mutate('return a > b;', { ...MUTATION, replace: '$&$1' })).toBe('return $&$1;');
  });

  test.each([
    ['nowhere', 'return a < b;', MUTATION],
    ['twice', 'a > b || a > b', MUTATION],
    ['without a change', 'a > b', { ...MUTATION, replace: 'a > b' }],
  ])('throws where it stands %s', (_where, text, mutation) => {
    expect(() => mutate(text, mutation)).toThrow('later');
  });
});

/** A run of one file. */
function reportOf(
  cases: readonly (readonly [status: string, message?: string])[],
  file: { status?: string; message?: string } = {},
): SuiteReport {
  const assertionResults = cases.map(([status, message], index) => ({
    fullName: `case ${index}`,
    status,
    failureMessages: message === undefined ? [] : [message],
  }));
  return { testResults: [{ name: 'a.test.ts', status: 'passed', ...file, assertionResults }] };
}

const ASSERTION = 'AssertionError: expected 1 to be 2';

describe('judge', () => {
  test.each([
    ['an assertion that failed', reportOf([['failed', ASSERTION]])],
    ['an error beside cases that passed', reportOf([['passed'], ['failed', 'TypeError: x is undefined']])],
  ])('killed by %s', (_what, report) => {
    expect(judge(report).result).toBe('killed');
  });

  test('survived when every case that ran passed', () => {
    expect(judge(reportOf([['passed'], ['skipped']]))).toEqual({ result: 'survived', note: '1 cases passed' });
  });

  test.each([
    ['a run that came to no end', null],
    ['a run without cases', reportOf([['skipped']])],
    ['a file that could not be loaded', reportOf([], { status: 'failed', message: 'SyntaxError: x' })],
    ['a hook that failed before any case', reportOf([['skipped']], { status: 'failed', message: 'Error: no start' })],
    ['an error, with no case that passed', reportOf([['failed', 'TypeError: x is undefined']])],
    ['a server that fails itself', reportOf([['passed'], ['failed', `${ASSERTION}: {"statusCode":500}`]])],
    ['a server that fails itself, in words', reportOf([['passed'], ['failed', `AssertionError: getMe  answered 500`]])],
  ])('broken by %s, which says nothing about the cases', (_what, report) => {
    expect(judge(report).result).toBe('broken');
  });
});

describe('judgeBaseline', () => {
  test('is green only when all passed', () => {
    expect(judgeBaseline(reportOf([['passed']])).ok).toBe(true);
    for (const report of [null, reportOf([['skipped']]), reportOf([['passed'], ['failed', ASSERTION]])]) {
      expect(judgeBaseline(report).ok).toBe(false);
    }
  });
});
