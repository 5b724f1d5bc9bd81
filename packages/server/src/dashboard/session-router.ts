/** Who is signed in, and how users sign in and out: `/session` of the dashboard's routes. */
import express, { type Request, type Response, type Router } from 'express';
import * as z from 'zod';
import type { Config } from '@svc/engine/config/config';
import type { Context } from '@svc/engine/context';
import { VERSION } from '@svc/engine/runtime/version';
import { hashToken } from '@svc/operations/implemented/users';
import { findUser as findStoredUser, takeInvitation } from '@svc/operations/store/users';
import { DashboardError } from './errors.ts';
import { requireSameOrigin } from './same-origin.ts';
import { beginSession, endSession, findUser, isRecent } from './sessions.ts';

export interface SessionRouterDeps {
  ctx: Context;
  config: Pick<Config, 'passwordSignIn' | 'oidc'>;
}

const BODY_BYTES_MAX = 16 * 1024;

/** The routes are relative to `/dashboard/api`. */
export function sessionRouter({ ctx, config }: SessionRouterDeps): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(requireSameOrigin(ctx.urls));
  const readBody = express.json({ limit: BODY_BYTES_MAX });

  router.get('/session', async (request, response) => {
    const user = await findUser(ctx, request);
    const stored = user === null ? null : await findStoredUser(ctx.db, user.id);
    const { passwordSignIn, oidc } = config;
    const { api, sync, docs } = ctx.urls;
    send(response, {
      user:
        user === null || stored === null
          ? null
          : {
              ...{ id: user.id, email: user.email, role: user.role },
              ...{ hasPassword: stored.hasPassword, hasOidc: stored.hasOidc },
              ...{ signedInAt: user.signedInAt, isRecent: isRecent(user, ctx.clock.now()) },
            },
      methods: { password: passwordSignIn, oidc: oidc?.name ?? null },
      version: VERSION,
      urls: { api, sync, docs },
    });
  });

  router.post('/session/link', readBody, async (request, response) => {
    const { token } = parse(LINK, request);
    const userId = await takeInvitation(ctx.db, hashToken(token), ctx.clock.now());
    if (userId === null) {
      throw new DashboardError(
        403,
        'forbidden',
        'This link is unknown, expired or used: make another one with svc-server users invite EMAIL.',
      );
    }
    await beginSession(ctx, userId, { request, response });
    send(response, {});
  });

  router.delete('/session', async (request, response) => {
    const user = await findUser(ctx, request);
    if (user !== null) await endSession(ctx, user, response);
    send(response, {});
  });

  return router;
}

const LINK = z.strictObject({ token: z.string().max(200), password: z.string().optional() });

/** @throws DashboardError when the body has another shape; the message repeats no value */
function parse<Schema extends z.ZodType>(schema: Schema, request: Request): z.output<Schema> {
  const parsed = schema.safeParse(request.body);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'body'}: ${message}`);
  throw new DashboardError(400, 'invalid_input', fields.join('; '));
}

function send(response: Response, body: object): void {
  response.setHeader('Cache-Control', 'no-store');
  response.json(body);
}
