/** Who is signed in, how users sign in and out, and their own passwords and sessions. */
import express, { type Request, type Response, type Router } from 'express';
import type { Config } from '@svc/engine/config/config';
import { VERSION } from '@svc/engine/runtime/version';
import { hashToken } from '@svc/operations/implemented/users';
import { deleteSession, listSessions } from '@svc/operations/store/user-sessions';
import { findInvitedUser, findUser as findStoredUser, noteSignIn, takeInvitation } from '@svc/operations/store/users';
import { CONFIRMATION, LINK, NEW_PASSWORD, parseBody, readJson, SIGN_IN } from './bodies.ts';
import { DashboardError, signedOut } from './errors.ts';
import { assertGoodPassword, hashPassword } from './passwords.ts';
import {
  assertSafeAddress,
  beginSession,
  confirmSession,
  type DashboardUser,
  endSession,
  findUser,
  isRecent,
  type SessionDeps,
} from './sessions.ts';
import { audit, checkPassword, setPassword } from './sign-in.ts';

export interface SessionRouterDeps {
  ctx: SessionDeps;
  config: Pick<Config, 'passwordSignIn' | 'oidc'>;
}

/** The routes are relative to `/dashboard/api`, behind `requireSameOrigin`. */
export function sessionRouter({ ctx, config }: SessionRouterDeps): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const { db, clock } = ctx;

  async function requireUser(request: Request): Promise<DashboardUser> {
    const user = await findUser(ctx, request);
    if (user === null) throw signedOut();
    return user;
  }

  router.get('/session', async (request, response) => {
    const user = await findUser(ctx, request);
    const stored = user === null ? null : await findStoredUser(db, user.id);
    const { passwordSignIn, oidc } = config;
    const { api, sync, docs } = ctx.urls;
    send(response, {
      user:
        user === null || stored === null
          ? null
          : {
              ...{ id: user.id, email: user.email, role: user.role },
              ...{ hasPassword: stored.hasPassword, hasOidc: stored.hasOidc },
              ...{ signedInAt: user.signedInAt, isRecent: isRecent(user, clock.now()) },
            },
      methods: { password: passwordSignIn, oidc: oidc?.name ?? null },
      version: VERSION,
      urls: { api, sync, docs },
    });
  });

  router.post('/session/link', readJson, async (request, response) => {
    assertSafeAddress(ctx.urls);
    const { token, password } = parseBody(LINK, request);
    if (password !== undefined) assertPasswords(config);
    const tokenHash = hashToken(token);
    const invited = await findInvitedUser(db, tokenHash, clock.now());
    if (invited === null) throw unusableLink();
    const passwordHash = password === undefined ? null : await newHash(password, invited.email);
    await beginSession(ctx, {
      ...{ userId: invited.id, request, response, passwordHash: null },
      // Only now, so that a password that is refused does not use up the link. Another request may have been faster.
      async alsoDo(tx) {
        if ((await takeInvitation(tx, tokenHash, clock.now())) === null) throw unusableLink();
        if (passwordHash !== null) await setPassword(tx, invited.id, { passwordHash, keptSessionId: null });
      },
    });
    const input = { by: 'link', setsPassword: passwordHash !== null, address: request.ip };
    await audit(ctx, { email: invited.email, operation: 'session/sign-in', input });
    send(response, {});
  });

  router.post('/session/password', readJson, async (request, response) => {
    assertSafeAddress(ctx.urls);
    assertPasswords(config);
    const given = parseBody(SIGN_IN, request);
    const user = await checkPassword(ctx, request, { ...given, operation: 'session/sign-in' });
    await beginSession(ctx, { userId: user.id, passwordHash: user.passwordHash, request, response });
    const input = { by: 'password', address: request.ip };
    await audit(ctx, { email: user.email, operation: 'session/sign-in', input });
    send(response, {});
  });

  router.post('/session/confirm', readJson, async (request, response) => {
    const user = await requireUser(request);
    assertPasswords(config);
    const { password } = parseBody(CONFIRMATION, request);
    await checkPassword(ctx, request, { email: user.email, password, operation: 'session/confirm' });
    await confirmSession(ctx, user, response);
    await audit(ctx, {
      email: user.email,
      operation: 'session/confirm',
      input: { by: 'password', address: request.ip },
    });
    send(response, {});
  });

  router.delete('/session', async (request, response) => {
    const user = await findUser(ctx, request);
    if (user !== null) {
      await endSession(ctx, user, response);
      await audit(ctx, { email: user.email, operation: 'session/sign-out', input: {} });
    }
    send(response, {});
  });

  router.put('/password', readJson, async (request, response) => {
    const user = await requireUser(request);
    assertPasswords(config);
    const { current, password } = parseBody(NEW_PASSWORD, request);
    const { hasPassword } = (await findStoredUser(db, user.id)) ?? { hasPassword: true };
    let present: string | null = null;
    if (hasPassword) {
      if (current === undefined) throw new DashboardError(400, 'invalid_input', 'current: is your present password');
      const given = { email: user.email, password: current, operation: 'session/password' } as const;
      present = (await checkPassword(ctx, request, given)).passwordHash;
    } else if (!isRecent(user, clock.now())) {
      throw new DashboardError(403, 'confirm_required', 'Sign in again to choose a password.');
    }
    const passwordHash = await newHash(password, user.email);
    const endedSessions = await db.transaction(async (tx) => {
      // Another change may have been faster.
      if (!(await noteSignIn(tx, user.id, clock.now(), present))) throw signedOut();
      return setPassword(tx, user.id, { passwordHash, keptSessionId: user.sessionId });
    });
    await confirmSession(ctx, user, response);
    await audit(ctx, { email: user.email, operation: 'session/password', input: { endedSessions } });
    send(response, {});
  });

  router.get('/sessions', async (request, response) => {
    const user = await requireUser(request);
    const sessions = await listSessions(db, user.id, clock.now());
    send(response, {
      sessions: sessions.map(({ id, device, address, createdAt, lastUsedAt }) => ({
        ...{ id, device, address, createdAt, lastUsedAt },
        isThis: id === user.sessionId,
      })),
    });
  });

  router.delete('/sessions/:id', async (request, response) => {
    const user = await requireUser(request);
    const id = Number(/^[1-9]\d{0,14}$/.exec(request.params.id)?.[0]);
    const isEnded = !Number.isNaN(id) && (await deleteSession(db, user.id, id));
    if (!isEnded) throw new DashboardError(404, 'not_found', 'You have no such session: it may have ended.');
    await audit(ctx, { email: user.email, operation: 'session/end', input: { sessionId: id } });
    send(response, {});
  });

  return router;
}

/** @throws DashboardError when the password must not be used */
async function newHash(password: string, email: string): Promise<string> {
  assertGoodPassword(password, email);
  return hashPassword(password);
}

function assertPasswords({ passwordSignIn }: SessionRouterDeps['config']): void {
  if (passwordSignIn) return;
  throw new DashboardError(403, 'forbidden', 'Passwords are switched off here (SVC_PASSWORD_SIGN_IN).');
}

function unusableLink(): DashboardError {
  return new DashboardError(
    403,
    'forbidden',
    'This link is unknown, expired or used. Ask for another one: svc-server users invite EMAIL makes it.',
  );
}

function send(response: Response, body: object): void {
  response.setHeader('Cache-Control', 'no-store');
  response.json(body);
}
