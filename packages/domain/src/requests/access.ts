/**
 * Specification, "Authentication" and "Write actions": who may call what, and which connections a key sees.
 *
 * The rule: `Authorization: Bearer <key>`; anything else is the one 401. A key of scope `account` sees every
 * API-enabled connection of its account, a key of scope `connection` its own if that is API-enabled; seeing none is
 * the 403 of the account. What is not seen does not exist. Of what belongs to no connection, requests are for account
 * keys only, events of the account for every key. Then, in this order: webhooks enabled on the account, a key of scope
 * `account`, the `write` scope.
 */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import type { Access as AccessRule } from '@svc/contract/operations';
import type { ApiKeyScope, ConnectionScope } from '@svc/contract/vocabulary';
import { forbidden, invalidApiKey } from '../errors/errors.ts';
import { sortedUnique } from '../values/order.ts';
import { looksLikeApiKey } from '../values/resource-ids.ts';

/** Every check of a request, first to last; a request is refused by the first that fails. */
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

/** The checks of `CHECK_ORDER` that an access rule switches on, beside key and API access. */
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

/** What a request may see and do; a required argument of every read of tenant data. */
export interface Access {
  readonly accountId: number;
  /** API-enabled connections this key sees, ascending, never empty. */
  readonly connectionIds: readonly number[];
  readonly scopes: readonly ApiKeyScope[];
  /** False for a key of one connection. */
  readonly accountScoped: boolean;
  readonly keyConnectionId: number | null;
}

/**
 * The key in an `Authorization` header; the scheme's case does not matter.
 * @param keyPrefix what keys of this installation begin with
 * @throws ApiError 401 when it is missing, of another scheme, or cannot be a key of ours.
 */
export function parseBearer(header: string | undefined, keyPrefix?: string): string {
  const token = /^bearer +([^\s,]+) *$/i.exec(header ?? '')?.[1];
  if (token === undefined || !looksLikeApiKey(token, keyPrefix)) throw invalidApiKey();
  return token;
}

/**
 * What a key sees of its account's connections.
 * @throws ApiError 403 when that is nothing.
 */
export function resolveAccess(
  key: AccessKey,
  connections: readonly { readonly id: number; readonly canUseApi: boolean }[],
): Access {
  const accountScoped = key.connectionScope === 'account';
  const visible = connections.filter(({ id, canUseApi }) => canUseApi && (accountScoped || id === key.connectionId));
  if (visible.length === 0) throw forbidden(ERROR_MESSAGES.apiAccessNotEnabled);
  return {
    accountId: key.accountId,
    connectionIds: sortedUnique(visible.map(({ id }) => id)),
    // A key always holds `read`, whatever its row says.
    scopes: sortedUnique<ApiKeyScope>(['read', ...key.scopes]),
    accountScoped,
    keyConnectionId: accountScoped ? null : key.connectionId,
  };
}

/**
 * Whether a row of this connection exists for the key. A request without a connection, whose source is gone, exists for
 * account keys only. Not for events: `canSeeEvent`.
 */
export function canSeeConnection(access: Access, connectionId: number | null): boolean {
  return connectionId === null ? access.accountScoped : access.connectionIds.includes(connectionId);
}

/** Whether an event exists for the key. One of the account itself, without a connection, does for every key. */
export function canSeeEvent(access: Access, connectionId: number | null): boolean {
  return connectionId === null || access.connectionIds.includes(connectionId);
}

/** 403 unless the key holds `write`; write actions and webhook mutations say so in different words. */
export function assertWriteScope(access: Access, kind: 'action' | 'webhook'): void {
  if (access.scopes.includes('write')) return;
  throw forbidden(
    kind === 'action' ? ERROR_MESSAGES.actionWriteScopeRequired : ERROR_MESSAGES.webhookWriteScopeRequired,
  );
}

/** 403 for keys of one connection, on every route of webhooks. */
export function assertAccountScopedKey(access: Access): void {
  if (!access.accountScoped) throw forbidden(ERROR_MESSAGES.accountScopedKeyRequired);
}

/** 403 unless the account may use webhooks and the event log (`canUseWebhooks`). */
export function assertWebhooksEnabled(canUseWebhooks: boolean): void {
  if (!canUseWebhooks) throw forbidden(ERROR_MESSAGES.webhooksNotEnabled);
}

/**
 * The checks between the account's limit and the parameters, in the order of `CHECK_ORDER`. `access` exists already,
 * so key and API access are proven; `public` and `read` ask for nothing more.
 */
export function authorize(rule: AccessRule, access: Access, account: { readonly canUseWebhooks: boolean }): void {
  const { webhooks, accountKey, write } = RULE_CHECKS[rule];
  if (webhooks) assertWebhooksEnabled(account.canUseWebhooks);
  if (accountKey) assertAccountScopedKey(access);
  if (write !== null) assertWriteScope(access, write);
}
