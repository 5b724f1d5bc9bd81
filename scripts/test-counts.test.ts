import fc from 'fast-check';
import { expect, test } from 'vitest';
import { failureLines, type VitestReport } from './test-counts.ts';

function reportOf(...failureMessages: readonly string[]): VitestReport {
  const assertionResults = [{ status: 'failed', fullName: 'a rule holds', failureMessages }];
  return { testResults: [{ name: '/repo/packages/a.test.ts', status: 'failed', assertionResults }] };
}

function failureOf(message: string): string {
  return failureLines(reportOf(message), '/repo').join('\n');
}

/** Returns the message as vitest reports it: with the stack. */
function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error.stack ?? error.message;
  }
  throw new Error('nothing was thrown');
}

test('a failed property is printed with its seed, path and counterexample', () => {
  const property = fc.property(fc.integer(), (n) => n < 10);
  const text = failureOf(messageOf(() => fc.assert(property, { seed: 42 })));
  expect(text).toMatch(/^FAILED packages\/a\.test\.ts > a rule holds: (Error: )?Property failed after \d+ tests\n/);
  expect(text).toMatch(/seed: 42, path: "[\d:]+"/);
  expect(text).toMatch(/Counterexample: \[10\]/);
  expect(text).not.toMatch(/^\s+at /m);
});

test('a long message is cut', () => {
  const many = Array.from({ length: 20 }, (_line, index) => `line ${index}`).join('\n');
  expect(failureOf(many).split('\n')).toHaveLength(6);
  expect(failureOf('x'.repeat(9_000)).length).toBeLessThan(1_600);
});

test.each(['', '\n', '    at file.ts:1:1'])('a failure without a message: %j', (message) => {
  expect(failureOf(message)).toBe('FAILED packages/a.test.ts > a rule holds: no message');
});

test('a file that could not be loaded is a failure', () => {
  const file = { name: '/repo/b.test.ts', status: 'failed', message: 'No such module\nin b', assertionResults: [] };
  expect(failureLines({ testResults: [file] }, '/repo')).toEqual(['FAILED b.test.ts: No such module\n    in b']);
});
