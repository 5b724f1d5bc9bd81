import type { Access as AccessRule } from '@svc/contract/operations';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import {
  type AccessKey,
  assertAccountScopedKey,
  assertWebhooksEnabled,
  assertWriteScope,
  authorize,
  CHECK_ORDER,
  canSeeConnection,
  canSeeEvent,
  parseBearer,
  resolveAccess,
} from './access.ts';

interface Keyed {
  key: AccessKey;
  connections: { id: number; canUseApi: boolean }[];
}

testRuleCases('access', ({ rule }) => {
  rule<{ header?: string }>('parseBearer', ({ header }) => parseBearer(header));
  rule<Keyed>('resolveAccess', ({ key, connections }) => resolveAccess(key, connections));
  rule<Keyed & { connectionId: number | null }>('canSeeConnection', ({ key, connections, connectionId }) =>
    canSeeConnection(resolveAccess(key, connections), connectionId),
  );
  rule<Keyed & { connectionId: number | null }>('canSeeEvent', ({ key, connections, connectionId }) =>
    canSeeEvent(resolveAccess(key, connections), connectionId),
  );
  rule<Keyed & { rule: AccessRule; canUseWebhooks: boolean }>(
    'authorize',
    ({ rule: accessRule, key, connections, ...account }) =>
      authorize(accessRule, resolveAccess(key, connections), account),
  );
});

describe('the single checks', () => {
  const access = (scopes: AccessKey['scopes'], connectionScope: AccessKey['connectionScope']) =>
    resolveAccess({ accountId: 1, scopes, connectionScope, connectionId: 2 }, [{ id: 2, canUseApi: true }]);

  test('assertWriteScope has one text for actions and one for webhooks', () => {
    expect(() => assertWriteScope(access(['read'], 'account'), 'action')).toThrow('API key requires the "write" scope');
    expect(() => assertWriteScope(access(['read'], 'account'), 'webhook')).toThrow(
      "This endpoint requires the 'write' scope",
    );
    expect(() => assertWriteScope(access(['write'], 'connection'), 'action')).not.toThrow();
  });

  test('assertAccountScopedKey refuses keys of one connection', () => {
    expect(() => assertAccountScopedKey(access(['write'], 'account'))).not.toThrow();
    expect(() => assertAccountScopedKey(access(['write'], 'connection'))).toThrow('account-scoped API key');
  });

  test('assertWebhooksEnabled refuses accounts without webhooks', () => {
    expect(() => assertWebhooksEnabled(true)).not.toThrow();
    expect(() => assertWebhooksEnabled(false)).toThrow('Platform webhooks are not enabled for this account');
  });

  test('the order of checks goes from the IP limit to the conflict', () => {
    expect(CHECK_ORDER).toEqual([
      'ip-limit',
      'key',
      'api-access',
      'account-limit',
      'webhooks-enabled',
      'account-scoped-key',
      'write-scope',
      'parameters-and-body',
      'resource',
      'capability',
      'conflict',
    ]);
  });
});
