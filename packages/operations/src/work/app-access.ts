/** Salesforce without a user in front: client credentials, or assertions signed by a key (JWT bearer). */
import type { CrmOauth } from '@svc/crm';
import { type RenewableGrant, withTokens } from '@svc/engine/crm/grants';
import { signAssertion } from '@svc/engine/crm/assertion';
import { isSameOrganization } from '@svc/engine/crm/same-organization';
import { AdminError, invalidInput } from './admin-error.ts';
import type { AdminContext } from './operation.ts';
import { toSigningKeyPem } from './signing-key.ts';

export interface AppAccess {
  crm: string;
  organizationId: string;
  clientId: string;
  /** The user that the app acts for, with `secret` as its key; undefined for client credentials. */
  username: string | undefined;
  /** Client secret, or the private key as PKCS #8 DER in base64. */
  secret: string;
  loginUrl: string;
  /** Whether to ask Salesforce first. */
  isChecked: boolean;
}

/** @throws AdminError when Salesforce does not accept it, or it belongs to another organization */
export async function createAppGrant(ctx: AdminContext, oauth: CrmOauth, access: AppAccess): Promise<RenewableGrant> {
  const { clientId, username, secret, loginUrl, organizationId } = access;
  const fields = { accessToken: null, expiresAt: null, apiUrl: null, loginUrl, clientId };
  const privateKey = username === undefined ? null : toSigningKeyPem(secret);
  const grant: RenewableGrant =
    username === undefined || privateKey === null
      ? { type: 'client_credentials', ...fields, clientSecret: secret }
      : { type: 'jwt_bearer', ...fields, username, privateKey };
  if (!access.isChecked) return grant;
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
  if (tokens.organizationId === null || !isSameOrganization(access.crm, tokens.organizationId, organizationId)) {
    throw invalidInput(
      `This app belongs to ${oauth.vendor} organization ${tokens.organizationId ?? 'unknown'}, not ${organizationId}. Nothing was stored.`,
    );
  }
  return withTokens(grant, tokens, now);
}
