/** How a connection's CRM is called: its connector, its token, and the quota of its calls. */
import type { CrmAccess, CrmConnector, CrmFailed } from '@svc/crm';
import { crmDisconnectedError } from '@svc/domain/syncs/sync-errors';
import type { Context } from '../context.ts';
import { type Grant, hasEnded, isDue, toAccess } from './grants.ts';
import { openGrant, type RenewalContext, renewGrant, type StoredGrant, TOKEN_UNREADABLE } from './renew-grant.ts';

/** What opening an access needs. Commands have it too. */
export type AccessContext = RenewalContext & Pick<Context, 'crmConnector' | 'crmQuota' | 'assertKeys'>;

export interface CrmConnection {
  id: number;
  crm: string;
  /** Encrypted; null when the connection is disconnected. */
  sealedCrmToken: string | null;
}

export interface OpenCrm {
  connector: CrmConnector;
  access: CrmAccess;
  /**
   * The stored token that is used, encrypted: for `markDisconnected` and `setConnectionError`. Another one than the
   * connection had before when it was renewed.
   */
  sealedCrmToken: string;
}

/**
 * Returns what calls of a connection need, or why none is possible. A token that is about to end is renewed first.
 *
 * @throws JobReturnedError when this server lacks the key of the stored token, and another may have it
 */
export async function openCrmAccess(ctx: AccessContext, connection: CrmConnection): Promise<OpenCrm | CrmFailed> {
  return afterKeyCheck(ctx, await tryToOpen(ctx, connection));
}

async function afterKeyCheck(ctx: AccessContext, opened: OpenCrm | CrmFailed): Promise<OpenCrm | CrmFailed> {
  if ('status' in opened && opened.error.code === TOKEN_UNREADABLE) await ctx.assertKeys();
  return opened;
}

async function tryToOpen(ctx: AccessContext, connection: CrmConnection): Promise<OpenCrm | CrmFailed> {
  const { id, crm, sealedCrmToken } = connection;
  // A disconnected connection is reported first, even if this release cannot write to its CRM.
  if (sealedCrmToken === null) return refused(crmDisconnectedError(crm));
  const connector = ctx.crmConnector(crm);
  if (!connector) {
    return refused({ code: 'crm_not_supported', message: `This release cannot write to ${crm}.`, httpStatus: null });
  }
  const stored = openGrant(ctx, { id, crm, sealed: sealedCrmToken });
  if ('status' in stored) return stored;
  const now = ctx.clock.now();
  if (!isDue(stored.grant, now)) return toOpenCrm(ctx, connection, connector, stored);
  const isEnded = hasEnded(stored.grant, now);
  const isUsable = (grant: Grant) => !isDue(grant, ctx.clock.now());
  const renewed = await renewGrant(ctx, connection, { isUsable, waits: isEnded });
  // A token that is still valid is used while its renewal has to wait.
  const canWait = 'status' in renewed && !renewed.disconnected && !isEnded;
  if ('status' in renewed && !canWait) return renewed;
  return toOpenCrm(ctx, connection, connector, 'status' in renewed ? stored : renewed);
}

/**
 * Returns what calls need after the CRM refused an access token (an outcome that says `disconnected`): a newer token
 * that is already stored, or a renewed one. Otherwise says why there is none: with `disconnected`, the connection has
 * lost its access for good.
 *
 * @param refusedToken `access.accessToken` of the refused call
 * @throws JobReturnedError when this server lacks the key of the stored token, and another may have it
 */
export async function renewCrmAccess(
  ctx: AccessContext,
  connection: Pick<CrmConnection, 'id' | 'crm'>,
  refusedToken: string,
): Promise<OpenCrm | CrmFailed> {
  const connector = ctx.crmConnector(connection.crm);
  if (!connector) return refused(crmDisconnectedError(connection.crm));
  const isUsable = (grant: Grant) => grant.accessToken !== refusedToken && !hasEnded(grant, ctx.clock.now());
  const renewed = await renewGrant(ctx, connection, { isUsable, waits: true });
  return afterKeyCheck(ctx, 'status' in renewed ? renewed : toOpenCrm(ctx, connection, connector, renewed));
}

function toOpenCrm(
  ctx: AccessContext,
  { id, crm }: Pick<CrmConnection, 'id' | 'crm'>,
  connector: CrmConnector,
  { grant, sealed }: StoredGrant,
): OpenCrm {
  return {
    connector,
    access: { ...toAccess(grant), quota: ctx.crmQuota({ id, crm }) },
    sealedCrmToken: sealed,
  };
}

function refused(error: CrmFailed['error']): CrmFailed {
  return { status: 'error', error, retry: 'never', disconnected: false };
}
