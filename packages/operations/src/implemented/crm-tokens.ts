/** What the CRM says about a token: for `connections add`, and for the doctor. */
import type { CrmAccess, CrmFailed, CrmUse } from '@svc/crm';
import { isSameOrganization } from '@svc/engine/crm/same-organization';
import type { AdminContext } from './operation.ts';

export type TokenVerdict =
  /** `missing` names scopes that are needed, `unused` those that only unused features need. */
  | { state: 'usable'; organizationId: string; unused: string[]; areScopesKnown: boolean }
  | { state: 'scopes_missing'; organizationId: string; missing: string[] }
  | { state: 'other_account'; organizationId: string }
  | { state: 'not_accepted'; reason: string }
  /** The CRM did not answer as expected, so nothing is known about the token. */
  | { state: 'unknown'; reason: string };

const USE_NAMES: Readonly<Record<CrmUse, string>> = {
  events: 'contacts and engagements',
  companies: 'companies',
  owners: 'owners of contacts',
  lists: 'block lists',
  companyLists: 'block lists of companies',
};

/**
 * Asks the CRM about a token; changes nothing.
 *
 * @param needed what the connection uses the token for
 * @returns null when this release has no connector for the CRM
 */
export async function checkToken(
  ctx: Pick<AdminContext, 'crmConnector'>,
  { crm, organizationId, access }: { crm: string; organizationId: string; access: Omit<CrmAccess, 'quota'> },
  needed: readonly CrmUse[],
): Promise<TokenVerdict | null> {
  const answer = await ctx.crmConnector(crm)?.checkAccess({
    ...access,
    // Checks are few, and an operator waits for them.
    quota: { take: async () => null, report: async () => {} },
  });
  if (answer === undefined) return null;
  if (answer.status === 'error') return toFailedVerdict(answer);
  if (!isSameOrganization(crm, answer.organizationId, organizationId)) {
    return { state: 'other_account', organizationId: answer.organizationId };
  }
  const missing = answer.missing?.filter(({ use }) => needed.includes(use)) ?? [];
  if (missing.length > 0) return { state: 'scopes_missing', organizationId, missing: missing.map(describeScope) };
  const unused = (answer.missing ?? []).map(describeScope);
  return { state: 'usable', organizationId, unused, areScopesKnown: answer.missing !== null };
}

function toFailedVerdict({ error, disconnected }: CrmFailed): TokenVerdict {
  return { state: disconnected ? 'not_accepted' : 'unknown', reason: error.message.replace(/\.$/, '') };
}

/** For example `crm.lists.read (block lists)`. */
function describeScope({ use, scope }: { use: CrmUse; scope: string }): string {
  return `${scope} (${USE_NAMES[use]})`;
}
