import { asObject } from '../http/answer-values.ts';
import { CrmFailure, NEVER } from '../http/http-failure.ts';
import type { CrmAccessInfo } from '../port/types.ts';
import { asId, type PipedriveClient } from './client.ts';

/** Asks Pipedrive which company a token belongs to. It says nothing about permissions. @throws CrmFailure */
export async function readAccess(client: PipedriveClient): Promise<CrmAccessInfo> {
  const part = 'the check of the token';
  const call = { operation: 'users', method: 'GET', path: '/api/v1/users/me', kind: 'get', part } as const;
  const companyId = asId(asObject((await client.call(call)).data)['company_id']);
  if (companyId === null) {
    const message = `Pipedrive's answer to ${part} names no company`;
    throw new CrmFailure({ code: 'unexpected_answer', message, httpStatus: 200 }, NEVER);
  }
  return { status: 'accepted', organizationId: String(companyId), missing: null };
}
