/**
 * Renews the access token of a connection, once over all processes.
 *
 * With rotation, Salesforce accepts a refresh token once; a second use ends the whole grant, and only a user can make a
 * new one. Therefore:
 *
 * 1. One process at a time has the lease of the connection (`crm_token_renewals`). Nothing is locked during the call, so
 *    a process that is killed or stopped in mid-call blocks the others only until its lease ends.
 * 2. After taking the lease the stored grant is read again: a token newer than the refused one is used.
 * 3. A request is counted before it is sent. One whose answer did not arrive is repeated with the same refresh token
 *    once, and then no more, if the CRM may have replaced that token.
 * 4. The new tokens are stored before their first use, in the transaction that ends the lease, and only over the grant
 *    that was renewed. A process that slept through the end of its lease sends nothing.
 * 5. Only a final refusal disconnects, after one more look at the stored grant. No answer, a 429 and a 5xx do not, nor does
 *    the refusal of an assertion: its times may be wrong, and the key works again once the CRM's admin approves the user.
 */
import { createHash } from 'node:crypto';
import { type CrmError, type CrmFailed, type CrmOauth, TOKEN_TIMEOUT_MS, type TokenOutcome } from '@svc/crm';
import { crmDisconnectedError, retryHint } from '@svc/domain/syncs/sync-errors';
import type { Context } from '../context.ts';
import { openSecret, RESTORE_KEY } from '../secrets/open-secret.ts';
import { DatabaseUnavailableError } from '../store/database/db.ts';
import {
  countUnanswered,
  endRenewal,
  getSealedCrmToken,
  lockSealedCrmToken,
  noteSent,
  releaseRenewalLease,
  type RenewalLease,
  setSealedCrmToken,
  takeRenewalLease,
  withdrawSent,
} from '../store/crm-token-renewals.ts';
import { signAssertion } from './assertion.ts';
import { logDisconnected } from './disconnected.ts';
import { type Grant, isSameGrant, readGrant, type RenewableGrant, withTokens, writeGrant } from './grants.ts';

export type RenewalContext = Pick<Context, 'db' | 'clock' | 'log' | 'secrets' | 'randomBytes' | 'crmOauth'>;

export interface StoredGrant {
  grant: Grant;
  /** As it is in the database. */
  sealed: string;
}

/** Longer than one request, so that a holder that lives never loses it in mid-call. */
const LEASE_MS = 3 * TOKEN_TIMEOUT_MS;
/** How often to look whether another process has renewed the token. */
const POLL_MS = 250;
/** Longest wait for another process; a job then tries again later. */
const WAIT_MAX_MS = 25_000;
/** The wait after `token request is already being processed`, and how often. */
const BUSY_MS = 1_000;
const BUSY_MAX = 10;
/** Requests with one refresh token whose answers may be lost. */
const UNANSWERED_MAX = 2;
/** While the database is away, a new token that cannot be had again is kept in memory this long. */
const STORE_TRIES = 60;

/**
 * Returns the stored grant once `isUsable`, renewing it if needed; or why there is none.
 *
 * @param waits whether to wait for another process that is renewing it
 */
export async function renewGrant(
  ctx: RenewalContext,
  connection: { id: number; crm: string },
  { isUsable, waits }: { isUsable: (grant: Grant) => boolean; waits: boolean },
): Promise<StoredGrant | CrmFailed> {
  const { id: connectionId } = connection;
  const givesUpMs = ctx.clock.now().getTime() + WAIT_MAX_MS;
  for (;;) {
    const stored = await readStoredGrant(ctx, connection);
    if ('status' in stored || isUsable(stored.grant)) return stored;
    if (stored.grant.type === 'private') return ended(connection.crm);
    const lease = { connectionId, holder: Buffer.from(ctx.randomBytes(16)).toString('hex') };
    if (await takeRenewalLease(ctx.db, lease, leaseTimes(ctx))) {
      const result = await renewWithLease(ctx, connection, lease, isUsable);
      if (result !== null) return result;
      // This process was stopped for long, and another one has taken the lease: look what became of the grant.
      continue;
    }
    if (!waits || ctx.clock.now().getTime() >= givesUpMs) return busy(connection.crm);
    await wait(ctx, POLL_MS);
  }
}

/** Returns the result, or null when the lease was lost. */
async function renewWithLease(
  ctx: RenewalContext,
  connection: { id: number; crm: string },
  lease: RenewalLease,
  isUsable: (grant: Grant) => boolean,
): Promise<StoredGrant | CrmFailed | null> {
  const oauth = ctx.crmOauth(connection.crm);
  try {
    for (let attempt = 0; attempt < BUSY_MAX; attempt += 1) {
      const stored = await readStoredGrant(ctx, connection);
      if ('status' in stored || isUsable(stored.grant)) return stored;
      const { grant } = stored;
      if (grant.type === 'private') return ended(connection.crm);
      if (oauth === undefined || (grant.type === 'refresh_token' && oauth.client === null)) {
        return notConfigured(connection.crm);
      }
      const tokenHash = hashOf(grant);
      if (isSingleUse(grant, oauth) && (await countUnanswered(ctx.db, connection.id, tokenHash)) >= UNANSWERED_MAX) {
        ctx.log.error({ connectionId: connection.id, crm: connection.crm }, ANSWERS_LOST);
        return await disconnect(ctx, connection, lease, grant, lostError(oauth, connection.crm));
      }
      const times = leaseTimes(ctx);
      if (!(await noteSent(ctx.db, lease, { tokenHash, ...times }))) return null;
      if (ctx.clock.now().getTime() > times.until.getTime() - 2 * TOKEN_TIMEOUT_MS) {
        // This process was stopped since. If another one has the lease by now, this changes nothing.
        await withdrawSent(ctx.db, lease);
        return null;
      }
      const outcome = await request(ctx, oauth, grant);
      if (outcome.status === 'granted') {
        const renewed = withTokens(grant, ownTokens(ctx, connection, oauth, outcome.tokens), ctx.clock.now());
        return await storeRenewed(ctx, connection, lease, { grant, renewed });
      }
      if (outcome.status === 'ended' && grant.type !== 'jwt_bearer') {
        return await disconnect(ctx, connection, lease, grant, endedError(outcome.error, connection.crm));
      }
      if (outcome.status !== 'unavailable' || !outcome.isAnswerLost) await withdrawSent(ctx.db, lease);
      if (outcome.status === 'ended') return notApproved(outcome.error, connection.crm);
      if (outcome.status !== 'busy') return toFailed(outcome, connection.crm);
      await wait(ctx, BUSY_MS);
    }
    return busy(connection.crm);
  } finally {
    await releaseRenewalLease(ctx.db, lease).catch((error: unknown) => {
      ctx.log.warn({ err: error, connectionId: connection.id }, 'the lease of a token renewal ends by itself');
    });
  }
}

const ANSWERS_LOST =
  'two answers to a refresh of an access token were lost, and the CRM may accept its refresh token once only: the connection is disconnected';

/** Reads and decrypts what a connection has. */
export async function readStoredGrant(
  ctx: Pick<RenewalContext, 'db' | 'secrets' | 'log'>,
  { id, crm }: { id: number; crm: string },
): Promise<StoredGrant | CrmFailed> {
  const sealed = await getSealedCrmToken(ctx.db, id);
  if (sealed === null) return ended(crm);
  return openGrant(ctx, { id, crm, sealed });
}

/** `code` of a failure because no key of this server decrypts the stored token. */
export const TOKEN_UNREADABLE = 'token_unreadable';

/** Decrypts what a connection has. */
export function openGrant(
  ctx: Pick<RenewalContext, 'secrets' | 'log'>,
  { id, crm, sealed }: { id: number; crm: string; sealed: string },
): StoredGrant | CrmFailed {
  const text = openSecret(ctx, sealed, { kind: 'CRM token', id });
  if (text !== null) return { grant: readGrant(text), sealed };
  const message = `The stored token of ${crm} cannot be decrypted: ${RESTORE_KEY}, or connect ${crm} again${retryHint(crm)}.`;
  // Temporary: the key can be given back.
  return { ...failed({ code: TOKEN_UNREADABLE, message, httpStatus: null }), retry: { afterMs: null } };
}

function request(ctx: RenewalContext, oauth: CrmOauth, grant: RenewableGrant): Promise<TokenOutcome> {
  const { loginUrl } = grant;
  switch (grant.type) {
    case 'refresh_token':
      return oauth.refresh({ loginUrl, refreshToken: grant.refreshToken });
    case 'client_credentials':
      return oauth.useClientCredentials({ loginUrl, client: { id: grant.clientId, secret: grant.clientSecret } });
    case 'jwt_bearer': {
      const { clientId, username, privateKey } = grant;
      const audience = oauth.assertionAudience(loginUrl);
      return oauth.useAssertion({
        loginUrl,
        assertion: signAssertion({ clientId, username, privateKey, audience, now: ctx.clock.now() }),
      });
    }
  }
}

/**
 * Stores the new tokens and ends the lease. The grant may have been encrypted again, replaced by a new consent or
 * deleted meanwhile: only the one that was renewed is replaced.
 */
async function storeRenewed(
  ctx: RenewalContext,
  connection: { id: number; crm: string },
  lease: RenewalLease,
  { grant, renewed }: { grant: RenewableGrant; renewed: RenewableGrant },
): Promise<StoredGrant | CrmFailed> {
  const { id, crm } = connection;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ctx.db.transaction(async (tx) => {
        const before = await lockSealedCrmToken(tx, id);
        await endRenewal(tx, lease);
        if (before === null) return ended(crm);
        const current = openGrant(ctx, { id, crm, sealed: before });
        if ('status' in current || !isSameGrant(current.grant, grant)) return current;
        const sealed = ctx.secrets.encrypt(writeGrant(renewed), { kind: 'CRM token', id });
        await setSealedCrmToken(tx, id, sealed);
        return { grant: renewed, sealed };
      });
    } catch (error) {
      // An attempt whose commit was not confirmed may have stored it: then the stored grant is another one, and is used.
      if (!(error instanceof DatabaseUnavailableError) || attempt >= STORE_TRIES) throw error;
      await wait(ctx, BUSY_MS);
    }
  }
}

/** Deletes a grant that has ended, unless another one was stored meanwhile, which is returned. */
async function disconnect(
  ctx: RenewalContext,
  connection: { id: number; crm: string },
  lease: RenewalLease,
  grant: RenewableGrant,
  error: CrmError,
): Promise<StoredGrant | CrmFailed> {
  const { id, crm } = connection;
  let isDisconnectedNow = false;
  const result = await ctx.db.transaction(async (tx) => {
    const sealed = await lockSealedCrmToken(tx, id);
    await endRenewal(tx, lease);
    if (sealed === null) return ended(crm);
    const current = openGrant(ctx, { id, crm, sealed });
    if ('status' in current || !isSameGrant(current.grant, grant)) return current;
    await setSealedCrmToken(tx, id, null);
    isDisconnectedNow = true;
    return { ...failed(error), disconnected: true };
  });
  if (isDisconnectedNow) logDisconnected(ctx, connection, error);
  return result;
}

/** A foreign API host would get the token, so it is not used; the host of the consent stays. */
function ownTokens(
  ctx: RenewalContext,
  connection: { id: number; crm: string },
  oauth: CrmOauth,
  tokens: Extract<TokenOutcome, { status: 'granted' }>['tokens'],
): typeof tokens {
  if (tokens.apiUrl === null || oauth.isOwnUrl(tokens.apiUrl)) return tokens;
  ctx.log.error(
    { connectionId: connection.id, crm: connection.crm },
    'the CRM named a foreign API host, which is not used',
  );
  return { ...tokens, apiUrl: null };
}

/** Only refresh tokens are replaced by their use. */
function isSingleUse(grant: RenewableGrant, oauth: CrmOauth): boolean {
  return grant.type === 'refresh_token' && (grant.rotates ?? oauth.mayRotate);
}

function hashOf(grant: RenewableGrant): Buffer {
  const text = grant.type === 'refresh_token' ? grant.refreshToken : grant.type;
  return createHash('sha256').update(text).digest();
}

function leaseTimes({ clock }: RenewalContext): { now: Date; until: Date } {
  const now = clock.now();
  return { now, until: new Date(now.getTime() + LEASE_MS) };
}

function wait({ clock }: RenewalContext, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(resolve, ms);
  });
}

function failed(error: CrmError): CrmFailed {
  return { status: 'error', error, retry: 'never', disconnected: false };
}

/** The connection has no usable grant. Nothing is left to delete. */
function ended(crm: string): CrmFailed {
  return { ...failed(crmDisconnectedError(crm)), disconnected: true };
}

function endedError(error: CrmError, crm: string): CrmError {
  return { ...error, message: `${error.message}: connect it again${retryHint(crm)}` };
}

function lostError({ vendor }: CrmOauth, crm: string): CrmError {
  const message = `${vendor}'s answers to two refreshes of the access token were lost, and its refresh token may be used up: connect it again${retryHint(crm)}`;
  return { code: 'disconnected', message, httpStatus: null };
}

function notConfigured(crm: string): CrmFailed {
  const message = `The access token of ${crm} cannot be renewed: set SVC_${crm}_CLIENT_ID and SVC_${crm}_CLIENT_SECRET to the app that it was granted to`;
  return { ...failed({ code: 'oauth_not_configured', message, httpStatus: null }), retry: { afterMs: null } };
}

/** The CRM refuses an assertion: its user has not approved the app, or its times are wrong. */
function notApproved(error: CrmError, crm: string): CrmFailed {
  const message = `${error.message}: check at ${crm} that the app's user is active and has approved it, and that this machine's clock is right`;
  return { ...failed({ ...error, code: 'token_refused', message }), retry: { afterMs: null } };
}

/** Another process is at it. */
function busy(crm: string): CrmFailed {
  const error = { code: 'token_busy', message: `The access token of ${crm} is being renewed`, httpStatus: null };
  return { ...failed(error), retry: { afterMs: 2_000 } };
}

function toFailed(outcome: Extract<TokenOutcome, { status: 'refused' | 'unavailable' }>, crm: string): CrmFailed {
  if (outcome.status === 'refused') {
    const message = `${outcome.error.message}: check SVC_${crm}_CLIENT_ID and SVC_${crm}_CLIENT_SECRET`;
    return { ...failed({ ...outcome.error, message }), retry: { afterMs: null } };
  }
  const { error, retryAfterMs } = outcome;
  const isDown = error.httpStatus === null || error.httpStatus >= 500;
  return { ...failed(error), retry: { afterMs: retryAfterMs }, ...(isDown ? { isUnavailable: true as const } : {}) };
}
