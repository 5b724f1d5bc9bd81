/** Asks the CRM of a connection what only operators ask: what can be written, to make what is missing, to prove what is not verified. */
import { CRM_REGISTRY, type CrmFailed, type CrmSetup } from '@svc/crm';
import { openCrmAccess, type OpenCrm, renewCrmAccess } from '@svc/engine/crm/access';
import { getSealedCrmToken } from '@svc/engine/store/crm-token-renewals';
import type { AdminContext } from './operation.ts';

export interface AskedConnection {
  id: number;
  crm: string;
}

type Ask<Answer> = (setup: CrmSetup, crm: OpenCrm) => Promise<Answer | CrmFailed>;

/** Returns the answer, or why there is none. An access token that has ended is renewed. Calls count for the connection's quota. */
export async function askCrm<Answer extends { status: string }>(
  ctx: AdminContext,
  connection: AskedConnection,
  ask: Ask<Answer>,
): Promise<Answer | CrmFailed> {
  const setup = ctx.crmSetup(connection.crm);
  if (setup === undefined) return notKnown(connection.crm);
  // A command has no other keys to look for.
  const accessContext = { ...ctx, assertKeys: async () => {} };
  const sealedCrmToken = await getSealedCrmToken(ctx.db, connection.id);
  const opened = await openCrmAccess(accessContext, { ...connection, sealedCrmToken });
  if ('status' in opened) return opened;
  const answer = await ask(setup, opened);
  const isRefused = isFailed(answer) && answer.disconnected;
  if (!isRefused || opened.access.tokenType === 'private') return answer;
  const renewed = await renewCrmAccess(accessContext, connection, opened.access.accessToken);
  return 'status' in renewed ? renewed : await ask(setup, renewed);
}

export function isFailed(answer: { status: string } | CrmFailed): answer is CrmFailed {
  return answer.status === 'error';
}

/** Returns what people call a CRM. */
export function crmName(crm: string): string {
  return CRM_REGISTRY.find((registered) => registered.crm === crm)?.name ?? crm;
}

function notKnown(crm: string): CrmFailed {
  const message = `This release does not ask ${crmName(crm)} what can be written.`;
  return {
    status: 'error',
    error: { code: 'crm_not_supported', message, httpStatus: null },
    retry: 'never',
    disconnected: false,
  };
}
