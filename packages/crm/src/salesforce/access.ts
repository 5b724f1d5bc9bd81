import { asList, asObject } from '../http/answer-values.ts';
import { createCrmHttp, type CrmHttpOptions } from '../http/http.ts';
import { CrmFailure, NEVER } from '../http/http-failure.ts';
import type { CrmAccess, CrmAccessInfo, CrmUse } from '../port/types.ts';
import { createSalesforceClient } from './client.ts';
import { readProblem, toFailure } from './errors.ts';
import { isId, toLongId } from './values.ts';

/** Who a token belongs to, and which objects its user may not use. */

const PART = 'the check of the access';

/** The objects behind each use, and what must be possible with them. */
const NEEDED: readonly {
  use: CrmUse;
  object: string;
  rights: readonly ('queryable' | 'createable' | 'updateable')[];
}[] = [
  { use: 'events', object: 'Contact', rights: ['queryable', 'createable', 'updateable'] },
  { use: 'events', object: 'Lead', rights: ['queryable', 'createable', 'updateable'] },
  { use: 'events', object: 'Task', rights: ['queryable', 'createable'] },
  { use: 'companies', object: 'Account', rights: ['queryable', 'createable'] },
  { use: 'owners', object: 'User', rights: ['queryable'] },
  { use: 'lists', object: 'Campaign', rights: ['queryable'] },
  { use: 'lists', object: 'CampaignMember', rights: ['queryable'] },
];
const RIGHTS = { queryable: 'read', createable: 'create', updateable: 'edit' } as const;

/** @throws CrmFailure */
export async function checkAccess(options: CrmHttpOptions, access: CrmAccess): Promise<CrmAccessInfo> {
  const client = createSalesforceClient({ ...options, access, secrets: [] });
  const { organizationId } = await readUser(options, access);
  const answer = await client.call({ operation: 'access_check', method: 'GET', path: '/sobjects', part: PART });
  const objects = new Map(asList(asObject(answer)['sobjects']).map((item) => [asObject(item)['name'], asObject(item)]));
  const missing = NEEDED.flatMap(({ use, object, rights }) =>
    rights
      .filter((right) => objects.get(object)?.[right] !== true)
      .map((right) => ({ use, scope: `${object}: ${RIGHTS[right]}` })),
  );
  return { status: 'accepted', organizationId, missing };
}

/** Returns to which org and user a token belongs. @throws CrmFailure */
export async function readUser(
  options: CrmHttpOptions,
  access: CrmAccess,
): Promise<{ organizationId: string; userId: string }> {
  const http = createCrmHttp(options, access, { vendor: 'Salesforce', readLimits: () => ({}) });
  const { status, headers, text, body } = await http.send({
    operation: 'access_check',
    method: 'GET',
    url: `${access.apiUrl}/services/oauth2/userinfo`,
    headers: { Authorization: `Bearer ${access.accessToken}` },
    part: PART,
  });
  // Here a bad token is answered with 403 and plain text.
  if (status === 401 || (status === 403 && /^\s*(?:Bad_OAuth_Token|Missing_OAuth_Token)/.test(text))) {
    const message = `Salesforce answered ${status} to ${PART}: the token is not accepted`;
    throw new CrmFailure({ code: 'disconnected', message, httpStatus: status }, { retry: 'never', disconnected: true });
  }
  if (status === 403 && /^\s*Missing_OAuth_Scope/.test(text)) {
    const message = `Salesforce answered 403 to ${PART}: the app needs the scope "id" or "openid"`;
    throw new CrmFailure({ code: 'forbidden', message, httpStatus: 403 }, NEVER);
  }
  const problem = readProblem(body);
  const nowMs = options.now().getTime();
  if (status < 200 || status >= 300) {
    throw toFailure({ part: PART, httpStatus: status, headers, problem, nowMs, redact: (message) => message });
  }
  const { organization_id: organizationId, user_id: userId } = asObject(body);
  if (!isId(organizationId, '00D')) {
    const message = `Salesforce's answer to ${PART} names no org`;
    throw new CrmFailure({ code: 'unexpected_answer', message, httpStatus: status }, NEVER);
  }
  // Both forms of ids are in use, and only one of them can be compared with what is stored.
  return { organizationId: toLongId(organizationId), userId: isId(userId, '005') ? toLongId(userId) : '' };
}
