/** `POST /dashboard/api/operations/<noun>/<verb>`: the operations of the command `svc-server`, for users who are signed in. */
import { INPUT_BYTES_MAX } from '@svc/operations/declared/declare';
import { AdminError } from '@svc/operations/implemented/admin-error';
import { type AdminContext, perform } from '@svc/operations/implemented/operation';
import { operations } from '@svc/operations/perform';
import express, { type Router } from 'express';
import { assertPermitted, type RequireUser } from './access.ts';
import { DashboardError } from './errors.ts';

export function operationsRouter(ctx: AdminContext, requireUser: RequireUser): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const parseBody = express.json({ limit: INPUT_BYTES_MAX, strict: false });
  router.post('/:noun/:verb', async (request, response) => {
    const user = await requireUser(request);
    const operation = operations.get(`${request.params.noun}/${request.params.verb}`);
    if (operation === undefined || operation.declaration.onlyOnMachine === true) {
      throw new DashboardError(404, 'not_found', 'The dashboard has no such operation.');
    }
    const { name, permission, needsRecentSignIn = false } = operation.declaration;
    assertPermitted(user, { isWrite: permission === 'write', needsRecentSignIn }, ctx.clock.now());
    // Only for callers who may call it: the body can be large.
    await new Promise<void>((resolve, reject) => {
      parseBody(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
    try {
      const result = await perform(ctx, operation, { input: request.body, actor: `user:${user.email}` });
      ctx.log.info({ operation: name }, 'administration');
      response.json({ result });
    } catch (error) {
      const refusal = error instanceof AdminError ? error.code : 'unexpected';
      ctx.log.info({ operation: name, refusal }, 'administration: refused');
      throw error;
    }
  });
  return router;
}
