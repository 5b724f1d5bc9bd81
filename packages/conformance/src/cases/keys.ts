/** The errors of every operation that needs a key. */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import type { OperationId } from '@svc/contract/operations';
import { expect, test } from 'vitest';
import type { Call } from '../harness/client.ts';
import { EXTRA_KEYS } from '../harness/extra-fixtures.ts';
import type { Api } from '../harness/suite.ts';

const BAD_AUTHORIZATION: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['no key', {}],
  ['an empty header', { authorization: '' }],
  ['another scheme', { authorization: 'Basic osapi_demo_read' }],
  ['no scheme', { authorization: 'osapi_demo_read' }],
  ['a scheme without key', { authorization: 'Bearer' }],
  ['a key without its prefix', { authorization: 'Bearer demo_read' }],
  ['a key of the wrong letter case', { authorization: 'Bearer OSAPI_DEMO_READ' }],
  ['two keys', { authorization: 'Bearer osapi_demo_read osapi_demo_write' }],
  ['an unknown key', { authorization: 'Bearer osapi_nobody' }],
  ['the beginning of a key', { authorization: 'Bearer osapi_demo_rea' }],
  ['a revoked key', { authorization: 'Bearer osapi_demo_revoked' }],
  ['a rotated key', { authorization: 'Bearer osapi_demo_rotated' }],
  ['a revoked key that would get a 403', { authorization: `Bearer ${EXTRA_KEYS.revokedNoApi}` }],
];

/** @param valid a valid call @param broken a call with invalid parameters, if the operation has any */
export function proveKeyRefusals(api: Api, operationId: OperationId, valid: Call = {}, broken?: Call): void {
  test.each(BAD_AUTHORIZATION)('401 for %s', async (_name, headers) => {
    const answer = await api.call(operationId, { ...valid, key: null, headers });
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({ statusCode: 401, message: ERROR_MESSAGES.invalidApiKey, error: 'Unauthorized' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="api"');
  });

  test.each([
    ['of an account without any API-enabled connection', 'osapi_demo_no_api'],
    ['of one connection of such an account', EXTRA_KEYS.nothingConnectionRead],
  ])('403 for a key %s', async (_name, key) => {
    const answer = await api.call(operationId, { ...valid, key });
    expect(answer.json).toEqual({ statusCode: 403, message: ERROR_MESSAGES.apiAccessNotEnabled, error: 'Forbidden' });
  });

  if (broken === undefined) return;
  test('401 comes before 400', async () => {
    expect((await api.call(operationId, { ...broken, key: 'osapi_nobody' })).status).toBe(401);
  });
  test('403 comes before 400', async () => {
    expect((await api.call(operationId, { ...broken, key: 'osapi_demo_no_api' })).status).toBe(403);
  });
}
