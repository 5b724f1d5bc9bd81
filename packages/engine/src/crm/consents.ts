/**
 * A user's consent at a CRM: `beginConsent` gives the address of the consent page, `finishConsent` is called with what
 * its callback brings.
 *
 * - `state` is random, stored as a hash, valid for ten minutes and for one callback. A consent that a page of this server
 *   began is bound to the browser that began it.
 * - PKCE where the vendor has it. The verifier is derived from the state and the client's secret, so it is stored nowhere.
 * - The API host that the CRM names must be the vendor's, because it gets the token.
 * - A connection keeps its organization: the consent of another one is refused.
 * - A grant that connects nothing is revoked, unless a connection here has the same organization: at Pipedrive, revoking
 *   removes the app from the company, and the connection would lose its access too.
 * - A consent that nobody with access to this server began only reconnects what is disconnected (decision 0030).
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { CrmOauth, OauthTokens } from '@svc/crm';
import type { Context } from '../context.ts';
import { findUnreadable } from '../secrets/open-secret.ts';
import { deleteRenewals } from '../store/crm-token-renewals.ts';
import { updateRow } from '../store/database/rows.ts';
import {
  type Consent,
  type ConsentSettings,
  findOpenConsent,
  insertConsent,
  listConsentTargets,
  setConsentResult,
  useConsent,
} from '../store/oauth-consents.ts';
import { chooseConnection, type ConsentRefusal } from './consent-target.ts';
import { type RefreshGrant, withTokens, writeGrant } from './grants.ts';
import { isSameOrganization } from './same-organization.ts';

export type ConsentContext = Pick<
  Context,
  'db' | 'clock' | 'secrets' | 'randomBytes' | 'urls' | 'crmOauth' | 'crmConnector'
>;

const CONSENT_MS = 10 * 60_000;

export type FinishedConsent =
  | { status: 'connected'; connectionId: number; isNew: boolean }
  | { status: 'refused'; reason: ConsentRefusal; missingScopes: readonly string[] };

export interface ConsentRequest {
  crm: string;
  accountId: number | null;
  connectionId: number | null;
  isPublic: boolean;
  /** The cookie of the browser; null when a command begins it. */
  session: string | null;
  /** Default: the vendor's. */
  loginUrl: string | null;
  settings: ConsentSettings;
}

/** Returns the address that the CRM redirects to, which its app must list. */
export function callbackUrl({ urls }: Pick<ConsentContext, 'urls'>, crm: string): string {
  return `${urls.api}/oauth/${crm.toLowerCase()}/callback`;
}

/** Stores a new consent; returns the address of the consent page. The CRM must have a client. */
export async function beginConsent(
  ctx: ConsentContext,
  oauth: CrmOauth,
  request: ConsentRequest,
): Promise<{ id: number; url: string; expiresAt: Date }> {
  const { session, ...consent } = request;
  const state = Buffer.from(ctx.randomBytes(32)).toString('base64url');
  const createdAt = ctx.clock.now();
  const expiresAt = new Date(createdAt.getTime() + CONSENT_MS);
  const loginUrl = request.loginUrl ?? oauth.loginUrl;
  const redirectUri = callbackUrl(ctx, request.crm);
  const { id } = await insertConsent(ctx.db, {
    ...consent,
    stateHash: sha256(state),
    sessionHash: session === null ? null : sha256(session),
    ...{ loginUrl, redirectUri, createdAt, expiresAt },
  });
  const verifier = codeVerifier(oauth, state);
  const codeChallenge = verifier === null ? null : sha256(verifier).toString('base64url');
  return { id, url: oauth.consentUrl({ loginUrl, redirectUri, state, codeChallenge }), expiresAt };
}

/** What the CRM's redirect brings. */
export interface Callback {
  crm: string;
  state: string | null;
  code: string | null;
  error: string | null;
  errorDescription: string | null;
  /** The browser's cookie. */
  session: string | null;
}

export async function finishConsent(
  ctx: ConsentContext,
  oauth: CrmOauth,
  callback: Callback,
): Promise<FinishedConsent> {
  const { crm, state, session } = callback;
  const now = ctx.clock.now();
  const consent = state === null ? null : await findOpenConsent(ctx.db, { crm, stateHash: sha256(state), now });
  if (consent === null || state === null) return refused('unknown');
  // The state stays unused, so that a stranger who has learned it cannot spoil the consent.
  if (!isSession(consent.sessionHash, session)) return refused('other_browser');
  if (!(await useConsent(ctx.db, consent.id, now))) return refused('unknown');
  const finished = await redeem(ctx, oauth, consent, callback, state);
  await setConsentResult(ctx.db, consent.id, {
    connectionId: finished.status === 'connected' ? finished.connectionId : null,
    error: finished.status === 'connected' ? null : describeRefusal(oauth, finished),
  });
  return finished;
}

async function redeem(
  ctx: ConsentContext,
  oauth: CrmOauth,
  consent: Consent,
  { code, error, errorDescription }: Callback,
  state: string,
): Promise<FinishedConsent> {
  if (code === null) {
    if (error === 'access_denied') return refused('cancelled');
    return refused(errorDescription?.includes('must be installed') === true ? 'not_installed' : 'refused');
  }
  // Before the code is used up.
  if ((await findUnreadable(ctx)).isEverything) return refused('key_missing');
  const { loginUrl, redirectUri } = consent;
  const outcome = await oauth.exchangeCode({ loginUrl, code, redirectUri, codeVerifier: codeVerifier(oauth, state) });
  if (outcome.status === 'unavailable' || outcome.status === 'busy') return refused('unavailable');
  if (outcome.status !== 'granted') return refused('refused');
  const { tokens } = outcome;
  const { refreshToken } = tokens;
  if (refreshToken === null) return refused('refused');
  if (tokens.apiUrl !== null && !oauth.isOwnUrl(tokens.apiUrl)) return refused('foreign_host');
  // Each organization of Salesforce has its own host; without that host, no call would be possible.
  if (tokens.apiUrl === null && consent.crm === 'SALESFORCE') return refused('unavailable');
  const account = await identify(ctx, oauth, consent.crm, tokens);
  if (account === null) return refused('unavailable');
  const missingScopes = oauth.neededScopes.filter((scope) => account.scopes?.includes(scope) === false);
  const finished: FinishedConsent =
    missingScopes.length > 0
      ? { ...refused('scopes_missing'), missingScopes }
      : await store(ctx, consent, tokens, account.organizationId);
  if (finished.status === 'refused' && !(await isOrganizationConnected(ctx, consent.crm, account.organizationId))) {
    await oauth.revoke({ loginUrl, refreshToken });
  }
  return finished;
}

async function isOrganizationConnected({ db }: ConsentContext, crm: string, organizationId: string): Promise<boolean> {
  const targets = await listConsentTargets(db, crm, null);
  return targets.some(
    (target) => target.sealedToken !== null && isSameOrganization(crm, target.organizationId, organizationId),
  );
}

/** Asks whose tokens these are. */
async function identify(
  ctx: ConsentContext,
  oauth: CrmOauth,
  crm: string,
  tokens: OauthTokens,
): Promise<{ organizationId: string; scopes: readonly string[] | null } | null> {
  const { organizationId, scopes } = await oauth.identify(tokens);
  if (organizationId !== null) return { organizationId, scopes };
  const access = await ctx.crmConnector(crm)?.checkAccess({
    accessToken: tokens.accessToken,
    tokenType: 'oauth',
    apiUrl: tokens.apiUrl,
    // One call, for which somebody waits.
    quota: { take: async () => null, report: async () => {} },
  });
  return access?.status === 'accepted' ? { organizationId: access.organizationId, scopes } : null;
}

async function store(
  ctx: ConsentContext,
  consent: Consent,
  tokens: OauthTokens,
  organizationId: string,
): Promise<FinishedConsent> {
  const grant: RefreshGrant = withTokens(
    {
      type: 'refresh_token',
      ...{ accessToken: null, expiresAt: null, apiUrl: null, loginUrl: consent.loginUrl },
      ...{ refreshToken: '', rotates: null, scopes: null },
    },
    tokens,
    ctx.clock.now(),
  );
  return ctx.db.transaction(async (tx) => {
    const chosen = await chooseConnection(tx, consent, { organizationId, tokens, now: ctx.clock.now() });
    if ('reason' in chosen) return refused(chosen.reason);
    const { id, isNew, changes } = chosen;
    // Whether it rotates is not known before the first refresh.
    const sealed = ctx.secrets.encrypt(writeGrant({ ...grant, rotates: null }), { kind: 'CRM token', id });
    const updated = await updateRow(tx, 'connections', id, { ...changes, crmToken: sealed, recordedError: null });
    // Removed since it was chosen.
    if (updated === null) return refused('account_gone');
    await deleteRenewals(tx, id);
    return { status: 'connected', connectionId: id, isNew };
  });
}

function refused(reason: ConsentRefusal): Extract<FinishedConsent, { status: 'refused' }> {
  return { status: 'refused', reason, missingScopes: [] };
}

/** Returns why a consent connected nothing, as one sentence. Nothing that the CRM sent is repeated. */
export function describeRefusal(
  { vendor }: Pick<CrmOauth, 'vendor'>,
  { reason, missingScopes }: Extract<FinishedConsent, { status: 'refused' }>,
): string {
  switch (reason) {
    case 'unknown':
      return 'This link has expired or was already used: begin again.';
    case 'other_browser':
      return 'The consent was begun in another browser: finish it there, or begin again here.';
    case 'cancelled':
      return `Access to ${vendor} was not allowed, so nothing was connected.`;
    case 'not_installed':
      return `An administrator of your ${vendor} organization has to install the app first. Then begin again.`;
    case 'refused':
      return `${vendor} did not grant access. Check the app's client id, secret, scopes and redirect URL, then begin again.`;
    case 'unavailable':
      return `${vendor} gave no usable answer. Begin again in a few minutes.`;
    case 'foreign_host':
      return `${vendor} named an address of its API that does not belong to it, so nothing was connected.`;
    case 'scopes_missing':
      return `The app lacks scopes that are needed: ${missingScopes.join(', ')}. Add them to the app at ${vendor}, then begin again.`;
    case 'other_account':
      return `You allowed access to another ${vendor} account than the one of this connection, so nothing was changed. Sign in to ${vendor} with the right account, then begin again.`;
    case 'no_connection':
      return `No single connection of this service belongs to your ${vendor} account. Ask the operator to run svc-server connections connect.`;
    case 'still_connected':
      return `The connection to ${vendor} works, so nothing was changed.`;
    case 'account_gone':
      return 'The account or the connection was removed meanwhile.';
    case 'key_missing':
      return 'This server cannot store secrets at the moment. Ask the operator to run svc-server doctor.';
  }
}

/** Null without PKCE. */
function codeVerifier({ client, hasPkce }: CrmOauth, state: string): string | null {
  if (!hasPkce || client === null) return null;
  return createHmac('sha256', client.secret).update(`code verifier of ${state}`).digest('base64url');
}

function isSession(expected: Buffer | null, session: string | null): boolean {
  if (expected === null) return true;
  return session !== null && timingSafeEqual(expected, sha256(session));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
