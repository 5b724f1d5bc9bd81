import { Command } from 'commander';
import { expect, test } from 'vitest';
import { asksForVersion, findHelpSubject } from './help-and-version.ts';

test.each(['-v', '-V', '--version', 'version', 'keys list -v', 'start --version --port 1'])(
  '%s asks for the version',
  (line) => {
    expect(asksForVersion(line.split(' '))).toBe(true);
  },
);

test.each(['', 'start', 'keys version', 'keys create -- -v'])('%j does not ask for the version', (line) => {
  expect(asksForVersion(line.split(' '))).toBe(false);
});

test('help finds the command by all its words', () => {
  const program = new Command('root');
  const verb = program.command('keys').command('list');
  expect(findHelpSubject(program, ['help'])).toBe(program);
  expect(findHelpSubject(program, ['help', 'keys', 'list'])).toBe(verb);
  expect(findHelpSubject(program, ['help', 'keys', 'lst'])).toBeNull();
  expect(findHelpSubject(program, ['keys', 'list'])).toBeNull();
});
