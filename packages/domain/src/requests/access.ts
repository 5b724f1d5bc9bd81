/**
 * Who may call which operation, and which connections a key sees.
 *
 * The rule: a request needs `Authorization: Bearer <key>`, otherwise it gets a 401. A key of scope `account` sees every
 * API-enabled connection of its account, a key of scope `connection` only its own, if that is API-enabled. A key gets a 403
 * when no connection of its account is API-enabled; a key that sees none of those that are gets empty lists, and a 404 for
 * each resource. Rows of other connections do not exist for the key. Requests without a connection exist for account keys
 * only; events without a connection exist for every key of the account. The access rule of the operation then requires, in
 * this order: webhooks enabled on the account, a key of scope `account`, the `write` scope.
 */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import type { Access as AccessRule } from '@svc/contract/operations';
import type { ApiKeyScope, ConnectionScope } from '@svc/contract/vocabulary';
import { forbidden, invalidApiKey } from '../errors/errors.ts';
import { sortedUnique } from '../values/order.ts';
import { looksLikeApiKey } from '../values/resource-ids.ts';

/** Every check of a request, in order; the first that fails answers the request. */
export const CHECK_ORDER = [
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
] as const;
export type RequestCheck = (typeof CHECK_ORDER)[number];

/** The checks that an access rule adds to those of key and API access. */
const RULE_CHECKS: {
  readonly [Rule in AccessRule]: { webhooks: boolean; accountKey: boolean; write: 'action' | 'webhook' | null };
} = {
  public: { webhooks: false, accountKey: false, write: null },
  read: { webhooks: false, accountKey: false, write: null },
  'action-write': { webhooks: false, accountKey: false, write: 'action' },
  'webhook-read': { webhooks: true, accountKey: true, write: null },
  'webhook-write': { webhooks: true, accountKey: true, write: 'webhook' },
  'events-read': { webhooks: true, accountKey: false, write: null },
};

/** The columns of a key that decide what it may do. */
export interface AccessKey {
  readonly accountId: number;
  readonly scopes: readonly ApiKeyScope[];
  readonly connectionScope: ConnectionScope;
  /** Set only on keys of scope `connection`. */
  readonly connectionId: number | null;
}

/** The rights of a request; a required argument of every query of tenant data. */
export interface Access {
  readonly accountId: number;
  /** API-enabled connections this key sees, ascending; empty when the key's own connection has no API access. */
  readonly connectionIds: readonly number[];
  readonly scopes: readonly ApiKeyScope[];
  /** False for a key of one connection. */
  readonly accountScoped: boolean;
  readonly keyConnectionId: number | null;
}

/**
 * Returns the key in an `Authorization` header. The scheme's case is ignored.
 * @param header values of a repeated header are joined with commas, as `fetch` does: such a header holds no key
 * @param keyPrefix prefix of this installation's keys
 * @throws ApiError 401 when the header is missing, has another scheme, or holds no text of a key's form
 */
export function parseBearer(header: string | undefined, keyPrefix?: string): string {
  const token = /^bearer +([^\s,]+) *$/i.exec(header ?? '')?.[1];
  if (token === undefined || !looksLikeApiKey(token, keyPrefix)) throw invalidApiKey();
  return token;
}

/**
 * Returns the rights of a key.
 * @param connections all connections of the key's account
 * @throws ApiError 403 when none of them has API access
 */
export function resolveAccess(
  key: AccessKey,
  connections: readonly { readonly id: number; readonly canUseApi: boolean }[],
): Access {
  const accountScoped = key.connectionScope === 'account';
  const enabled = connections.filter(({ canUseApi }) => canUseApi);
  if (enabled.length === 0) throw forbidden(ERROR_MESSAGES.apiAccessNotEnabled);
  const visible = enabled.filter(({ id }) => accountScoped || id === key.connectionId);
  return {
    accountId: key.accountId,
    connectionIds: sortedUnique(visible.map(({ id }) => id)),
    // Every key holds `read`.
    scopes: sortedUnique<ApiKeyScope>(['read', ...key.scopes]),
    accountScoped,
    keyConnectionId: accountScoped ? null : key.connectionId,
  };
}

/**
 * Whether a row of this connection exists for the key. A request without a connection (its source was deleted) exists for
 * account keys only. For events use `canSeeEvent`.
 */
export function canSeeConnection(access: Access, connectionId: number | null): boolean {
  return connectionId === null ? access.accountScoped : access.connectionIds.includes(connectionId);
}

/** Whether an event exists for the key. An event without a connection exists for every key of the account. */
export function canSeeEvent(access: Access, connectionId: number | null): boolean {
  return connectionId === null || access.connectionIds.includes(connectionId);
}

/** @throws ApiError 403 when the key lacks `write`; write actions and webhook mutations have different messages */
export function assertWriteScope(access: Access, kind: 'action' | 'webhook'): void {
  if (access.scopes.includes('write')) return;
  throw forbidden(
    kind === 'action' ? ERROR_MESSAGES.actionWriteScopeRequired : ERROR_MESSAGES.webhookWriteScopeRequired,
  );
}

/** @throws ApiError 403 for keys of one connection */
export function assertAccountScopedKey(access: Access): void {
  if (!access.accountScoped) throw forbidden(ERROR_MESSAGES.accountScopedKeyRequired);
}

/** @throws ApiError 403 when the account may not use webhooks and the event log */
export function assertWebhooksEnabled(canUseWebhooks: boolean): void {
  if (!canUseWebhooks) throw forbidden(ERROR_MESSAGES.webhooksNotEnabled);
}

/**
 * Runs the checks `webhooks-enabled`, `account-scoped-key` and `write-scope` that the access rule requires.
 * @throws ApiError 403
 */
export function authorize(rule: AccessRule, access: Access, account: { readonly canUseWebhooks: boolean }): void {
  const { webhooks, accountKey, write } = RULE_CHECKS[rule];
  if (webhooks) assertWebhooksEnabled(account.canUseWebhooks);
  if (accountKey) assertAccountScopedKey(access);
  if (write !== null) assertWriteScope(access, write);
}
