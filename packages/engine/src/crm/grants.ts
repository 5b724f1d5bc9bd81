/**
 * What is stored, encrypted, in `connections.crm_token`: a private token as its text, every other kind of access as JSON
 * behind a mark. All of it is one secret of the connection, so the rules of stored secrets hold for it: a connection
 * without it is disconnected, and `secrets reencrypt` and `secrets discard` know it.
 */
import type { CrmAccess, OauthTokens } from '@svc/crm';
import * as z from 'zod';

/** The current access token; null before the first one. */
const access = {
  accessToken: z.string().nullable(),
  /** ISO-8601; null when the CRM does not say when it ends. */
  expiresAt: z.string().nullable(),
  /** Base URL of the account's API; null: the vendor's. */
  apiUrl: z.string().nullable(),
  /** Sign-in address of the account. */
  loginUrl: z.string(),
};

const grantSchema = z.discriminatedUnion('type', [
  /** A user's consent. */
  z.object({
    type: z.literal('refresh_token'),
    ...access,
    refreshToken: z.string(),
    /** Whether a refresh gives a new refresh token and ends the old one; null until one has shown it. */
    rotates: z.boolean().nullable(),
    scopes: z.array(z.string()).nullable(),
  }),
  z.object({ type: z.literal('client_credentials'), ...access, clientId: z.string(), clientSecret: z.string() }),
  z.object({
    type: z.literal('jwt_bearer'),
    ...access,
    clientId: z.string(),
    username: z.string(),
    /** PEM. */
    privateKey: z.string(),
  }),
]);

export type RenewableGrant = z.infer<typeof grantSchema>;
export type RefreshGrant = Extract<RenewableGrant, { type: 'refresh_token' }>;
/** A token that a user of the CRM made by hand. */
export interface PrivateGrant {
  type: 'private';
  accessToken: string;
}
export type Grant = PrivateGrant | RenewableGrant;

/** No token of a CRM begins like this. */
const MARK = 'grant:';

/** @throws Error when a later release wrote it */
export function readGrant(text: string): Grant {
  if (!text.startsWith(MARK)) return { type: 'private', accessToken: text };
  return grantSchema.parse(JSON.parse(text.slice(MARK.length)));
}

export function writeGrant(grant: Grant): string {
  return grant.type === 'private' ? grant.accessToken : `${MARK}${JSON.stringify(grant)}`;
}

/** Renewed this long before their end, so that no call is made with a token that ends on the way. */
const EARLY_MS = 5 * 60_000;
/** Shorter than this, a token is taken as ended. */
const MARGIN_MS = 10_000;

/** Returns whether the access token should be renewed before a call. One without a known end is used until it is refused. */
export function isDue(grant: Grant, now: Date): boolean {
  return isWithin(grant, now, EARLY_MS);
}

/** Returns whether the access token has ended, or there is none. */
export function hasEnded(grant: Grant, now: Date): boolean {
  return isWithin(grant, now, MARGIN_MS);
}

function isWithin(grant: Grant, now: Date, ms: number): boolean {
  if (grant.type === 'private') return false;
  if (grant.accessToken === null) return true;
  return grant.expiresAt !== null && new Date(grant.expiresAt).getTime() - now.getTime() <= ms;
}

/** Returns whether two grants are the same but for their access tokens. */
export function isSameGrant(one: Grant, other: Grant): boolean {
  return permanentPart(one) === permanentPart(other);
}

function permanentPart(grant: Grant): string {
  switch (grant.type) {
    case 'private':
      return grant.accessToken;
    case 'refresh_token':
      return grant.refreshToken;
    case 'client_credentials':
      return JSON.stringify([grant.loginUrl, grant.clientId, grant.clientSecret]);
    case 'jwt_bearer':
      return JSON.stringify([grant.loginUrl, grant.clientId, grant.username, grant.privateKey]);
  }
}

/** Returns the grant with newly granted tokens. */
export function withTokens<Kind extends RenewableGrant>(grant: Kind, tokens: OauthTokens, now: Date): Kind {
  const { accessToken, expiresInSeconds, apiUrl, refreshToken, scopes } = tokens;
  const expiresAt = expiresInSeconds === null ? null : new Date(now.getTime() + expiresInSeconds * 1_000).toISOString();
  const renewed = { ...grant, accessToken, expiresAt, apiUrl: apiUrl ?? grant.apiUrl };
  if (renewed.type !== 'refresh_token' || grant.type !== 'refresh_token') return renewed;
  return {
    ...renewed,
    refreshToken: refreshToken ?? grant.refreshToken,
    rotates: refreshToken !== null && refreshToken !== grant.refreshToken,
    scopes: scopes === null ? grant.scopes : [...scopes],
  };
}

/** Returns the current access token of a grant, without asking for a new one; empty when there is none yet. */
export function toAccess(grant: Grant): Omit<CrmAccess, 'quota'> {
  if (grant.type === 'private') return { accessToken: grant.accessToken, tokenType: 'private', apiUrl: null };
  return { accessToken: grant.accessToken ?? '', tokenType: 'oauth', apiUrl: grant.apiUrl };
}
