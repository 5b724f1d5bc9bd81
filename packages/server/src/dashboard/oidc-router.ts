/**
 * Sign-in at an OpenID Connect provider: `/oidc` of the dashboard's routes. A user is known by the provider's own id of them. The first
 * time, the address counts instead, if it was invited and the provider has verified it; or the user is signed in by a link.
 */
import express, { type Request, type Response, type Router } from 'express';
import type { Config } from '@svc/engine/config/config';
import type { Context } from '@svc/engine/context';
import { bindIdentity, findUserByEmail, findUserByIdentity, type StoredUser } from '@svc/operations/store/users';
import { noSuchRoute } from './error-handler.ts';
import { createProvider, type Flow, flowCookie, type Identity, type Provider, readFlow } from './oidc-flow.ts';
import {
  assertSafeAddress,
  beginSession,
  confirmSession,
  type DashboardUser,
  findUser,
  isRecent,
  type SessionDeps,
} from './sessions.ts';
import { audit } from './sign-in.ts';

export interface OidcRouterDeps {
  ctx: SessionDeps & Pick<Context, 'log'>;
  config: Pick<Config, 'oidc'>;
}

/**
 * Why nobody was signed in, for the page: `?problem=` of the address that the browser is sent back to.
 * - `expired`: the way took too long, or began in another browser. `refused`: the provider or the user refused.
 * - `not-invited`: nobody invited the address, or the provider has not verified it. `other-user`: the identity belongs to another user.
 * - `failed`: the provider does not work, or its answer is wrong; the log says more.
 */
export type OidcProblem = 'expired' | 'refused' | 'not-invited' | 'other-user' | 'failed';

class Refused extends Error {
  readonly problem: OidcProblem;
  constructor(problem: OidcProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** The clock of the provider may differ. */
const TOLERANCE_MS = 60_000;

export function oidcRouter({ ctx, config }: OidcRouterDeps): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const provider = config.oidc === null ? null : createProvider(config.oidc, ctx.urls);
  if (provider === null) return router;
  router.use('/oidc', (request, _response, next) => {
    // A HEAD would use up the code.
    if (request.method !== 'GET') throw noSuchRoute();
    assertSafeAddress(ctx.urls);
    next();
  });

  router.get('/oidc/start', async (request, response) => {
    const isConfirmation = queryOf(request).get('confirm') === '1';
    await goBackOnFailure(ctx, response, async () => {
      const { url, flow } = await provider.begin(isConfirmation, ctx.clock.now());
      response.appendHeader('Set-Cookie', flowCookie(ctx.urls, flow));
      response.redirect(303, url.href);
    });
  });

  router.get('/oidc/callback', async (request, response) => {
    // The way is over, whatever comes of it.
    response.appendHeader('Set-Cookie', flowCookie(ctx.urls, null));
    await goBackOnFailure(ctx, response, async () => {
      await finish(ctx, provider, { request, response });
      response.redirect(303, `${ctx.urls.dashboard}/`);
    });
  });

  return router;
}

async function goBackOnFailure(
  { log, urls }: Pick<Context, 'log' | 'urls'>,
  response: Response,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const problem: OidcProblem = error instanceof Refused ? error.problem : 'failed';
    if (problem === 'failed') log.warn({ err: error }, 'a sign-in with OpenID Connect failed');
    response.redirect(303, `${urls.dashboard}/?problem=${problem}`);
  }
}

async function finish(
  ctx: OidcRouterDeps['ctx'],
  provider: Provider,
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const flow = readFlow(ctx.urls, request.headers.cookie, ctx.clock.now());
  const query = queryOf(request);
  if (flow === null || query.get('state') !== flow.state) throw new Refused('expired');
  if (query.has('error')) throw new Refused('refused');
  const identity = await provider.finish(flow, `?${query}`);
  const known = await findUserByIdentity(ctx.db, identity);
  if (flow.isConfirmation) await confirm(ctx, { flow, identity, known, request, response });
  else await signIn(ctx, { identity, known, request, response });
}

interface Arrival {
  identity: Identity;
  /** The user with this identity; null for a new one. */
  known: StoredUser | null;
  request: Request;
  response: Response;
}

async function signIn(ctx: SessionDeps, { identity, known, request, response }: Arrival): Promise<void> {
  const email = known === null ? await identity.verifiedEmail() : null;
  const user = known ?? (email === null ? null : await findUserByEmail(ctx.db, email));
  const input = { by: 'oidc', address: request.ip };
  if (user === null) {
    await audit(ctx, { email: null, operation: 'session/sign-in', input, outcome: 'not_invited' });
    throw new Refused('not-invited');
  }
  if (known === null && !(await bindIdentity(ctx.db, user.id, identity))) {
    await audit(ctx, { email: null, operation: 'session/sign-in', input, outcome: 'other_user' });
    throw new Refused('other-user');
  }
  await beginSession(ctx, {
    ...{ userId: user.id, request, response, passwordHash: null },
    signedInAt: provedAt(identity, ctx.clock.now()),
  });
  await audit(ctx, {
    ...{ email: user.email, operation: 'session/sign-in' },
    input: { ...input, bindsIdentity: known === null },
  });
}

/** Makes the sign-in of this browser recent. A recent one, as by a link, binds the identity to its user instead. */
async function confirm(ctx: SessionDeps, { flow, identity, known, request, response }: Arrival & { flow: Flow }) {
  const user = await findUser(ctx, request);
  if (user === null) throw new Refused('expired');
  const { provedAt: at } = identity;
  if (at !== null && at.getTime() < flow.begunAt.getTime() - TOLERANCE_MS) throw new Refused('refused');
  const input = { by: 'oidc', address: request.ip, bindsIdentity: known === null };
  const isOwn = known === null ? await bindToRecent(ctx, user, identity) : known.id === user.id;
  if (!isOwn) {
    await audit(ctx, { email: user.email, operation: 'session/confirm', input, outcome: 'other_user' });
    throw new Refused('other-user');
  }
  await confirmSession(ctx, user, response);
  await audit(ctx, { email: user.email, operation: 'session/confirm', input });
}

async function bindToRecent({ db, clock }: SessionDeps, user: DashboardUser, identity: Identity): Promise<boolean> {
  return isRecent(user, clock.now()) && bindIdentity(db, user.id, identity);
}

/** A sign-in at the provider of yesterday is no recent one here. */
function provedAt({ provedAt: at }: Identity, now: Date): Date {
  return at === null || at > now ? now : at;
}

function queryOf({ url }: Request): URLSearchParams {
  return new URL(url, 'http://127.0.0.1').searchParams;
}
