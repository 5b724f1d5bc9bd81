/**
 * The public API for users of the dashboard, below `/dashboard/api/accounts/:accountId`. A user sees all connections of the account, also
 * those without API access, and is not counted in the rate limits of its keys.
 */
import type { OperationId } from '@svc/contract/operations';
import { type Access, authorize } from '@svc/domain/requests/access';
import type { Context } from '@svc/engine/context';
import { findAccount } from '@svc/operations/store/accounts';
import { findConnections } from '@svc/operations/store/connections';
import { withAuditEntry } from '@svc/operations/implemented/operation';
import type { Request, Router } from 'express';
import type { AuthorizedRequest } from '../http/answer.ts';
import { apiRouter, type CallerRules } from '../http/mount.ts';
import { routes } from '../http/routes/index.ts';
import { assertPermitted, type RequireUser } from './access.ts';
import { DashboardError } from './errors.ts';
import type { DashboardUser } from './sessions.ts';

/** Operations that show or replace a secret, or remove something. */
const NEEDS_RECENT_SIGN_IN: ReadonlySet<OperationId> = new Set([
  'createWebhook',
  'rotateWebhookSecret',
  'deleteWebhook',
]);

interface UserRequest extends AuthorizedRequest {
  readonly user: DashboardUser;
}

export function accountApiRouter(ctx: Context, requireUser: RequireUser): Router {
  const rules: CallerRules<UserRequest> = {
    async authenticate(_ctx, operation, { request, apiRequest }) {
      const user = await requireUser(request);
      const account = await findRequestedAccount(ctx, request);
      const needsRecentSignIn = NEEDS_RECENT_SIGN_IN.has(operation.id);
      assertPermitted(user, { isWrite: operation.scope === 'write', needsRecentSignIn }, ctx.clock.now());
      const connections = await findConnections(ctx.db, { accountId: account.id });
      const access: Access = {
        accountId: account.id,
        connectionIds: connections.map(({ id }) => id),
        scopes: user.role === 'admin' ? ['read', 'write'] : ['read'],
        accountScoped: true,
        keyConnectionId: null,
      };
      authorize(operation.access, access, account);
      return { ...apiRequest, user, access, key: keyFor(user, access, account) };
    },
    // Bodies are left out, because some contain secrets.
    write: (_ctx, operation, { user, access, params }, work) =>
      withAuditEntry(
        ctx,
        {
          actor: `user:${user.email}`,
          operation: `api/${operation.id}`,
          input: { accountId: access.accountId, ...params },
        },
        work,
      ),
  };
  // A standby may not have what the user has just changed.
  return apiRouter({ ...ctx, replicas: null }, routes, rules, ({ access }) => access !== 'public');
}

type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>;

/** @throws DashboardError for an account that does not exist */
async function findRequestedAccount({ db }: Context, { baseUrl }: Request): Promise<Account> {
  const id = Number(/\/accounts\/([1-9]\d{0,14})$/.exec(baseUrl)?.[1]);
  const account = Number.isNaN(id) ? null : await findAccount(db, id);
  if (account === null)
    throw new DashboardError(404, 'not_found', 'There is no such account: it may have been removed.');
  return account;
}

/** The key that handlers show as the caller's. It is not stored. */
function keyFor(user: DashboardUser, { scopes, connectionIds }: Access, account: Account): UserRequest['key'] {
  return {
    id: 0,
    name: `user:${user.email}`,
    scopes: [...scopes],
    connectionScope: 'account',
    connectionId: null,
    accountId: account.id,
    account,
    connections: connectionIds.map((id) => ({ id, canUseApi: true })),
    lastWriteLsn: null,
  };
}
