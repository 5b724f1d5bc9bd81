/** The 403s of valid keys (`fixtures/rules/access.json`), and their order. */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import { type OperationId, operationById } from '@svc/contract/operations';
import { expect, test } from 'vitest';
import type { Call } from '../harness/client.ts';
import { EXTRA_KEYS } from '../harness/extra-fixtures.ts';
import type { Api } from '../harness/suite.ts';

const { actionWriteScopeRequired, webhookWriteScopeRequired, accountScopedKeyRequired, webhooksNotEnabled } =
  ERROR_MESSAGES;

/** Keys and the error that each gets, by the operation's access rule. */
const REFUSED: Readonly<Record<string, readonly (readonly [what: string, key: string, message: string])[]>> = {
  'action-write': [
    ['of the account that can only read', 'osapi_demo_read', actionWriteScopeRequired],
    ['of a connection that can only read', 'osapi_demo_connection_read', actionWriteScopeRequired],
    ['that can only read, of an account without webhooks', EXTRA_KEYS.noWebhooksRead, actionWriteScopeRequired],
  ],
  'webhook-read': [
    ['of an account without webhooks', 'osapi_demo_no_webhooks', webhooksNotEnabled],
    ['of a connection, without webhooks', EXTRA_KEYS.noWebhooksConnection, webhooksNotEnabled],
    ['of a connection', 'osapi_demo_connection', accountScopedKeyRequired],
    ['of a connection that can only read', 'osapi_demo_connection_read', accountScopedKeyRequired],
  ],
  'webhook-write': [
    ['of an account without webhooks', 'osapi_demo_no_webhooks', webhooksNotEnabled],
    ['that can only read, of an account without webhooks', EXTRA_KEYS.noWebhooksRead, webhooksNotEnabled],
    ['that fails all three', EXTRA_KEYS.noWebhooksConnectionRead, webhooksNotEnabled],
    ['of a connection', 'osapi_demo_connection', accountScopedKeyRequired],
    ['of a connection that can only read', 'osapi_demo_connection_read', accountScopedKeyRequired],
    ['that can only read', 'osapi_demo_read', webhookWriteScopeRequired],
  ],
  'events-read': [
    ['of an account without webhooks', 'osapi_demo_no_webhooks', webhooksNotEnabled],
    ['of a connection of an account without webhooks', EXTRA_KEYS.noWebhooksConnection, webhooksNotEnabled],
  ],
};

/** @param calls a valid call, and calls that are wrong in other ways */
export function proveAccess(api: Api, operationId: OperationId, ...calls: readonly Call[]): void {
  const { access } = operationById(operationId);
  const refused = REFUSED[access];
  if (refused === undefined) throw new Error(`${operationId} accepts every valid key`);

  test.each(refused)('403 for a key %s, whether the rest of the call is valid or not', async (_what, key, message) => {
    for (const call of calls) {
      const answer = await api.call(operationId, { ...call, key });
      expect(answer.json).toEqual({ statusCode: 403, message, error: 'Forbidden' });
    }
  });

  test('403 for missing API access comes before other 403s', async () => {
    for (const call of calls) {
      for (const key of [EXTRA_KEYS.nothing, EXTRA_KEYS.nothingConnectionRead]) {
        const answer = await api.call(operationId, { ...call, key });
        expect([answer.status, answer.json.message]).toEqual([403, ERROR_MESSAGES.apiAccessNotEnabled]);
      }
    }
  });
}
