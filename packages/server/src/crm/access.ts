/** How a connection's CRM is called: its connector, its token, and the quota of its calls. */
import type { CrmAccess, CrmConnector, CrmError, CrmFailed } from '@svc/crm';
import { crmDisconnectedError, retryHint } from '@svc/domain/syncs/sync-errors';
import type { Context } from '../context.ts';
import { openSecret, RESTORE_KEY } from '../secrets/open-secret.ts';
import { createCrmQuota } from './quota.ts';

export interface CrmConnection {
  id: number;
  crm: string;
  /** Encrypted; null when the connection is disconnected. */
  sealedCrmToken: string | null;
}

export interface OpenCrm {
  connector: CrmConnector;
  access: CrmAccess;
}

/** Returns what calls of a connection need, or why none is possible. */
export async function openCrmAccess(
  ctx: Context,
  { id, crm, sealedCrmToken }: CrmConnection,
): Promise<OpenCrm | CrmFailed> {
  // A disconnected connection is reported first, even if this release cannot write to its CRM.
  if (sealedCrmToken === null) return refused(crmDisconnectedError(crm));
  const connector = ctx.crmConnector(crm);
  if (!connector) {
    return refused({ code: 'crm_not_supported', message: `This release cannot write to ${crm}.`, httpStatus: null });
  }
  const accessToken = openSecret(ctx, sealedCrmToken, { kind: 'CRM token', id });
  if (accessToken === null) {
    const message = `The stored token of ${crm} cannot be decrypted: ${RESTORE_KEY}, or connect ${crm} again${retryHint(crm)}.`;
    return refused({ code: 'token_unreadable', message, httpStatus: null });
  }
  return { connector, access: { accessToken, tokenType: 'private', apiUrl: null, quota: createCrmQuota(ctx, id) } };
}

function refused(error: CrmError): CrmFailed {
  return { status: 'error', error, retry: 'never', disconnected: false };
}
