import { AbortError, ConfigurationError, NetworkError, PaginationError, TimeoutError } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { FailureWithHint, usageError } from '../errors/cli-error.ts';
import { unknownCommandError } from '../main/unknown-command.ts';
import { isJsonRequested, printError } from './print-error.ts';

const KEY = 'secret-of-another-form';
const credentials = {
  apiKey: KEY,
  keyIsFor: null,
  baseUrl: 'https://svc.example',
  keySource: 'SVC_API_KEY',
  baseUrlSource: 'SVC_BASE_URL',
  headerPrefix: 'Service',
};

function report(error: unknown, isJson: boolean): { exitCode: number; text: string } {
  let text = '';
  const exitCode = printError(error, {
    isJson,
    credentials,
    write: (piece) => {
      text += piece;
    },
  });
  return { exitCode, text };
}

describe('printError', () => {
  test.each([
    ['usage', usageError('bad', 'do this'), 2, 'usage', false],
    ['network', new NetworkError('gone', { code: 'ECONNREFUSED', nothingSent: true }), 8, 'network', true],
    ['timeout', new TimeoutError('slow', { timeoutMs: 1 }), 8, 'timeout', true],
    ['aborted', new AbortError('stop'), 130, 'interrupted', false],
    ['configuration', new ConfigurationError('no'), 2, 'usage', false],
    ['pagination', new PaginationError('loop'), 1, 'pagination', false],
    ['a system fault', Object.assign(new Error('no'), { code: 'EACCES' }), 1, 'EACCES', false],
    ['anything else', 'thrown text', 1, 'unexpected', false],
  ])('%s', (_name, error, exitCode, code, retryable) => {
    const plain = report(error, false);
    const json = report(error, true);
    expect([plain.exitCode, json.exitCode]).toEqual([exitCode, exitCode]);
    expect(plain.text).toMatch(/^Error: .+\n/);
    expect(json.text.split('\n')).toHaveLength(2);
    const output = JSON.parse(json.text);
    expect(Object.keys(output.error)).toEqual(['code', 'status', 'message', 'requestId', 'hint', 'retryable']);
    expect(output.error).toMatchObject({ code, retryable });
  });

  test('removes keys from the output', () => {
    for (const isJson of [true, false]) {
      const { text } = report(usageError(`bad ${KEY}`, `osapi_typed_in ${KEY}`), isJson);
      expect(text).not.toContain(KEY);
      expect(text).not.toContain('osapi_typed_in');
    }
  });

  test('FailureWithHint adds a hint and keeps the code of its cause', () => {
    const failure = new FailureWithHint(usageError('bad', 'do this'), 'then that');
    expect(report(failure, false)).toEqual({ exitCode: 2, text: 'Error: bad\n  do this\n  then that\n' });
    expect(JSON.parse(report(failure, true).text).error.hint).toBe('do this then that');
    const plain = new FailureWithHint(new AbortError('stop'), 'then that');
    expect(report(plain, false)).toEqual({ exitCode: 130, text: 'Error: stop\n  then that\n' });
  });

  test('escapes control characters', () => {
    expect(report(usageError('\u001b[2Jgone'), false).text).toBe('Error: \\u001b[2Jgone\n');
  });
});

test.each([
  ['syncs nope', 'svc syncs nope is not a command', 'See `svc syncs --help`.'],
  ['nope', 'svc nope is not a command', 'See `svc --help`.'],
  ['statusx hunter2', 'svc statusx hunter2 is not a command', 'Did you mean `svc status`?'],
  ['sync list', 'svc sync list is not a command', 'Did you mean `svc syncs list`?'],
  ['list syncs', 'svc list syncs is not a command', 'Did you mean `svc syncs list`?'],
  ['synks', 'svc synks is not a command', 'Did you mean `svc syncs`?'],
  ['syncs lst 7', 'svc syncs lst 7 is not a command', 'Did you mean `svc syncs list`?'],
  ['syncs ls', 'svc syncs ls is not a command', 'Did you mean `svc syncs list`?'],
  ['explain 7', 'svc explain 7 is not a command', 'Did you mean `svc syncs explain`?'],
  ['auth login', 'svc auth login is not a command', 'Did you mean `svc login`?'],
  ['auth status', 'svc auth status is not a command', 'Did you mean `svc whoami`?'],
  ['logs 7', 'svc logs 7 is not a command', 'Did you mean `svc syncs list` or `svc requests list`?'],
  ['retry', 'svc retry is not a command', 'Did you mean `svc syncs retry` or `svc hooks retry`?'],
  ['lst', 'svc lst is not a command', 'See `svc --help`.'],
  ['--json', 'Flags go after the command', 'For example: svc status --json'],
])('unknownCommandError: %s', (line, message, hint) => {
  const error = unknownCommandError(line.split(' '), [
    'status',
    'login',
    'whoami',
    'requests:list',
    'syncs:list',
    'syncs:explain',
    'syncs:retry',
    'hooks:retry',
  ]);
  expect(error).toMatchObject({ message, hint, exitCode: 2 });
});

test('isJsonRequested reads --json up to --', () => {
  expect(isJsonRequested(['status', '--jq', '.ready'])).toBe(true);
  expect(isJsonRequested(['status', '--jq=.ready'])).toBe(true);
  expect(isJsonRequested(['status', '--jqx'])).toBe(false);
  expect(isJsonRequested(['status', '--json'])).toBe(true);
  expect(isJsonRequested(['status', '--', '--json'])).toBe(false);
  expect(isJsonRequested(['status'])).toBe(false);
});
