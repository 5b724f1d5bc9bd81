import { LIMITS } from '@svc/contract/limits';
import { ApiError } from '@svc/domain/errors/errors';
import { expect, test } from 'vitest';
import { readJsonBody } from './request-body.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const bytes = (text: string) => new TextEncoder().encode(text);

function outcomeOf(headers: Record<string, string>, body: Uint8Array, isDamaged = false): unknown {
  try {
    return readJsonBody({ headers, body, isDamaged });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [error.statusCode, error.message];
  }
}

test.each([
  ['an object', JSON_TYPE, '{"url":"x"}', { url: 'x' }],
  ['any JSON', JSON_TYPE, ' "text" ', 'text'],
  ['null', JSON_TYPE, 'null', null],
  ['a charset', { 'content-type': 'Application/JSON ; charset="UTF-8"' }, '{}', {}],
  ['a byte order mark', JSON_TYPE, '\uFEFF{}', {}],
  ['a plain encoding', { ...JSON_TYPE, 'content-encoding': 'Identity' }, '{}', {}],
  ['nothing at all', {}, '', undefined],
  ['nothing of a declared type', JSON_TYPE, '', undefined],
])('%s is read', (_name, headers, body, value) => {
  expect(outcomeOf(headers, bytes(body))).toEqual(value);
});

const NOT_JSON = [415, 'The request body must be sent as application/json'];
test.each([
  ['no type', {}, '{}', NOT_JSON],
  ['another type', { 'content-type': 'text/plain' }, '{}', NOT_JSON],
  ['a type that only begins like JSON', { 'content-type': 'application/json-seq' }, '{}', NOT_JSON],
  [
    'another charset',
    { 'content-type': 'application/json; charset=latin1' },
    '{}',
    [415, 'The request body cannot be read: unsupported charset "LATIN1"'],
  ],
  [
    'UTF-16',
    { 'content-type': 'application/json; charset=utf-16' },
    '{}',
    [415, 'The request body cannot be read: unsupported charset "UTF-16"'],
  ],
  [
    'an unknown encoding',
    { ...JSON_TYPE, 'content-encoding': 'X-Rot13' },
    '{}',
    [415, 'The request body cannot be read: unsupported content encoding "x-rot13"'],
  ],
  ['broken JSON', JSON_TYPE, '{"a":', [400, expect.stringMatching(/^The request body could not be read: ./)]],
  [
    'too much',
    JSON_TYPE,
    `"${'x'.repeat(LIMITS.apiBodyBytesMax)}"`,
    [413, 'The request body is too large, at most 65536 bytes are taken'],
  ],
])('%s is refused', (_name, headers, body, refusal) => {
  expect(outcomeOf(headers, bytes(body))).toEqual(refusal);
});

test('a body that is not what its encoding says is refused', () => {
  const refusal = [400, 'The request body could not be read: it is not gzip'];
  expect(outcomeOf({ ...JSON_TYPE, 'content-encoding': 'gzip' }, bytes('{}'), true)).toEqual(refusal);
});

test('the largest body is read', () => {
  const text = 'x'.repeat(LIMITS.apiBodyBytesMax - 2);
  expect(outcomeOf(JSON_TYPE, bytes(`"${text}"`))).toBe(text);
});
