/** Salesforce without a user in front: client credentials, or assertions signed by a key (JWT bearer). */
import { isLoopbackHost } from '@svc/domain/network/loopback';
import type { CrmOauth } from '@svc/crm';
import { type RenewableGrant, withTokens } from '@svc/engine/crm/grants';
import { signAssertion } from '@svc/engine/crm/assertion';
import { isSameOrganization } from '@svc/engine/crm/same-organization';
import type * as z from 'zod';
import type { addConnection } from '../declared/connections.ts';
import { AdminError, invalidInput } from './admin-error.ts';
import type { AdminContext } from './operation.ts';
import { toSigningKeyPem } from './signing-key.ts';

export type NewConnection = z.output<typeof addConnection.input>;

/**
 * Returns the grant of a Salesforce app that acts without a user; null for a token.
 *
 * @throws AdminError when Salesforce does not accept it, or it belongs to another organization
 */
export async function toAppGrant(ctx: AdminContext, input: NewConnection): Promise<RenewableGrant | null> {
  const { crm, organizationId, clientId, username, crmToken: secret } = input;
  const oauth = ctx.crmOauth(crm);
  if (clientId === undefined) {
    if (username !== undefined || input.sandbox || input.myDomain !== undefined) {
      throw invalidInput('--username, --sandbox and --my-domain need --client-id.');
    }
    // A token alone does not say where the API of its organization is.
    if (crm === 'SALESFORCE') {
      throw invalidInput(
        'Salesforce is connected with svc-server connections connect salesforce, or here with --client-id and the secret or key of an app. Nothing was stored.',
      );
    }
    return null;
  }
  if (crm !== 'SALESFORCE' || oauth === undefined) throw invalidInput('--client-id is for Salesforce.');
  const loginUrl = chooseLoginUrl(oauth, crm, input) ?? oauth.loginUrl;
  const fields = { accessToken: null, expiresAt: null, apiUrl: null, loginUrl, clientId };
  const privateKey = username === undefined ? null : toSigningKeyPem(secret);
  const grant: RenewableGrant =
    username === undefined || privateKey === null
      ? { type: 'client_credentials', ...fields, clientSecret: secret }
      : { type: 'jwt_bearer', ...fields, username, privateKey };
  if (!input.checksToken) return grant;
  const now = ctx.clock.now();
  const outcome =
    grant.type === 'jwt_bearer'
      ? await oauth.useAssertion({
          loginUrl,
          assertion: signAssertion({ ...grant, audience: oauth.assertionAudience(loginUrl), now }),
        })
      : await oauth.useClientCredentials({ loginUrl, client: { id: clientId, secret } });
  if (outcome.status === 'unavailable' || outcome.status === 'busy') {
    throw new AdminError(
      'crm_unavailable',
      `${outcome.error.message}. Nothing was stored; --no-check stores it unchecked.`,
    );
  }
  if (outcome.status !== 'granted') {
    const parts =
      username === undefined
        ? '--client-id, the secret, --my-domain, and that the app has a run-as user'
        : '--client-id, --username, the key, --sandbox or --my-domain, and that the user has approved the app';
    throw invalidInput(`${outcome.error.message}. Check ${parts}. Nothing was stored.`);
  }
  const { tokens } = outcome;
  if (tokens.apiUrl !== null && !oauth.isOwnUrl(tokens.apiUrl)) {
    throw invalidInput(`${oauth.vendor} named an address of its API that does not belong to it. Nothing was stored.`);
  }
  if (tokens.organizationId === null || !isSameOrganization(crm, tokens.organizationId, organizationId)) {
    throw invalidInput(
      `This app belongs to ${oauth.vendor} organization ${tokens.organizationId ?? 'unknown'}, not ${organizationId}. Nothing was stored.`,
    );
  }
  return withTokens(grant, tokens, now);
}

/**
 * Returns the address where the users of a Salesforce organization sign in; null for the usual one.
 *
 * @throws AdminError for an address that is not Salesforce's
 */
export function chooseLoginUrl(
  oauth: CrmOauth,
  crm: string,
  { sandbox, myDomain }: { sandbox: boolean; myDomain?: string | undefined },
): string | null {
  if (!sandbox && myDomain === undefined) return null;
  if (crm !== 'SALESFORCE') throw invalidInput('--sandbox and --my-domain are for Salesforce.');
  if (sandbox && myDomain !== undefined) throw invalidInput('Give --sandbox or --my-domain: a My Domain is enough.');
  if (myDomain === undefined) return 'https://test.salesforce.com';
  const text = /^[a-z0-9-]+$/i.test(myDomain) ? `${myDomain}.my.salesforce.com` : myDomain;
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (url?.hostname.endsWith('.lightning.force.com') === true) {
    const [organization] = url.hostname.split('.');
    throw invalidInput(`Nobody signs in at a lightning.force.com address: give --my-domain ${organization}.`);
  }
  const isMyDomain = url !== null && (/\.my\.salesforce\.(com|mil)$/.test(url.hostname) || isLoopbackHost(url.host));
  if (url === null || !isMyDomain || !oauth.isOwnUrl(url.origin)) {
    throw invalidInput('--my-domain must be a name such as acme, or a host such as acme.my.salesforce.com.');
  }
  return url.origin;
}
