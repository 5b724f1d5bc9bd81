/** The doctor's check of CRM tokens at their CRMs, which changes nothing. */
import { countConnected, type ConnectedConnection, findConnected } from '../store/connections.ts';
import { type Grant, hasEnded, readGrant, toAccess } from '@svc/engine/crm/grants';
import { checkToken, type TokenVerdict } from '../implemented/crm-tokens.ts';
import type { AdminContext } from '../implemented/operation.ts';
import { type Check, fail, pass, warn } from './check.ts';
import { reconnectCommand } from './connections.ts';

/** More would take longer than a caller waits. */
const CHECKED_MAX = 50;
const AT_A_TIME = 10;

const NAME = 'CRM tokens';

/**
 * Returns one line for all tokens that are fine, one for those whose scopes the CRM does not say, and one for each problem. After a CRM that does not answer the rest is
 * not checked, because each call would take its whole timeout.
 */
export async function checkTokens(ctx: AdminContext): Promise<Check[]> {
  const connections = await findConnected(ctx.db, { limit: CHECKED_MAX });
  const problems: Check[] = [];
  let usable = 0;
  let withUnknownScopes = 0;
  let renewedLater = 0;
  let checked = 0;
  while (checked < connections.length) {
    const batch = connections.slice(checked, checked + AT_A_TIME);
    const grants = batch.map((connection) => tryReadGrant(ctx, connection));
    const verdicts = await Promise.all(
      batch.map(async (connection, index) => verdictOn(ctx, connection, grants[index] ?? null)),
    );
    checked += batch.length;
    for (const [index, connection] of batch.entries()) {
      const verdict = verdicts[index] ?? null;
      const grant = grants[index] ?? null;
      if (verdict === 'ended') renewedLater += 1;
      else if (verdict?.state === 'usable' && verdict.areScopesKnown) usable += 1;
      else if (verdict?.state === 'usable') withUnknownScopes += 1;
      else if (verdict !== null && grant !== null) problems.push(toProblem(connection, grant, verdict));
    }
    if (verdicts.some((verdict) => verdict !== 'ended' && verdict?.state === 'unknown')) break;
  }
  const rest = (await countConnected(ctx.db)) - checked;
  if (rest > 0 && problems.length + usable + withUnknownScopes > 0) {
    problems.push(warn(NAME, `${rest} more are not checked`, 'Run svc-server doctor again when the others pass.'));
  }
  const accepted: Check[] = [];
  if (usable > 0) accepted.push(pass(NAME, `accepted by the CRM, with all scopes that are needed: ${usable}`));
  if (withUnknownScopes > 0) {
    accepted.push(pass(NAME, `accepted by the CRM, which does not say their scopes: ${withUnknownScopes}`));
  }
  if (renewedLater > 0) accepted.push(pass(NAME, `ended, and renewed by the next call of the CRM: ${renewedLater}`));
  return [...accepted, ...problems];
}

/** Null when the token cannot be decrypted, which another check reports. */
function tryReadGrant(ctx: AdminContext, { id, sealedToken }: ConnectedConnection): Grant | null {
  try {
    return readGrant(ctx.secrets.decrypt(sealedToken, { kind: 'CRM token', id }));
  } catch {
    return null;
  }
}

/**
 * Null without a grant, or when this release cannot call the CRM. An access token that has ended is renewed by the next
 * call of the CRM, not by a check.
 */
async function verdictOn(
  ctx: AdminContext,
  connection: ConnectedConnection,
  grant: Grant | null,
): Promise<TokenVerdict | 'ended' | null> {
  if (grant === null) return null;
  if (hasEnded(grant, ctx.clock.now())) return 'ended';
  const verdict = await checkToken(ctx, { ...connection, access: toAccess(grant) }, connection.uses);
  return grant.type !== 'private' && verdict?.state === 'not_accepted' ? 'ended' : verdict;
}

function toProblem(
  connection: ConnectedConnection,
  grant: Grant,
  verdict: Exclude<TokenVerdict, { state: 'usable' }>,
): Check {
  const { id, crm, organizationId } = connection;
  const what = `connection ${id} (${crm} ${organizationId})`;
  const replace = reconnectCommand(connection, grant.type);
  const isConsent = grant.type === 'refresh_token';
  switch (verdict.state) {
    case 'not_accepted':
      return fail(NAME, `${what}: ${verdict.reason}`, `Store a new token: ${replace}`);
    case 'scopes_missing':
      return fail(
        NAME,
        `${what}: the token lacks ${verdict.missing.join(', ')}`,
        isConsent
          ? `Add the scopes to the app in the CRM, then allow access again: ${replace}`
          : `Add the scopes in the CRM. If that makes a new token, store it: ${replace}`,
      );
    case 'other_account':
      return fail(
        NAME,
        `${what}: the token belongs to account ${verdict.organizationId}`,
        isConsent
          ? `Allow access as a user of account ${organizationId}: ${replace}`
          : `Store a token of account ${organizationId}: ${replace}`,
      );
    case 'unknown':
      return warn(
        NAME,
        `${what}: not checked: ${verdict.reason}`,
        `Check that this machine reaches the CRM${crm === 'SALESFORCE' ? '' : ` (at SVC_${crm}_URL, if that is set)`}, then run svc-server doctor again.`,
      );
  }
}
