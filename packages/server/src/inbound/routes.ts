/**
 * The inbound host (specification, "Vocabulary", rule 3): `POST /webhooks/:code` and the legacy `/webhooks/:hubId/:ownerId`.
 *
 * Several sequencers never retry a 4xx, so a payload that is not understood is still kept and acknowledged; only what
 * can never become a receipt is refused: an unknown code (404, before its body is read), a body that is no JSON (400) or
 * too large (413). When the database is away, or bodies fill the memory they may have, the answer is a 503, which sequencers
 * do retry.
 */
import { ApiError } from '@svc/domain/errors/errors';
import { assertInboundBody, assertInboundCall, keptInboundHeaders, noSuchSource } from '@svc/domain/syncs/inbound-post';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { DatabaseUnavailableError } from '../store/db.ts';
import type { InboundOutcome, Metrics } from '../metrics.ts';
import { createHeldBodies, TooManyWaitingError } from './held-bodies.ts';
import { readBody } from './read-body.ts';
import type { ReceiptStore } from './receive.ts';

const RETRY_AFTER_SECONDS = 5;

export interface InboundRouterOptions {
  readonly bodyLimitBytes: number;
  /** See `createHeldBodies`. */
  readonly heldBytesMax?: number | undefined;
}

export function inboundRouter(receipts: ReceiptStore, options: InboundRouterOptions, metrics: Metrics): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const heldBodies = createHeldBodies(options);
  router.use('/webhooks', countPost(metrics), refuseOtherCalls);
  const receive = async (path: string, request: Request) => {
    // Everything that can be refused without the body is refused before a byte of it is read.
    if (!(await receipts.knows(path))) throw noSuchSource();
    const held = heldBodies.begin(path);
    try {
      // Whatever the declared type: platforms send JSON under several, or none.
      const body = await readBody(request, held, options.bodyLimitBytes).finally(held.finish);
      assertInboundBody(body.toString('utf8'));
      const requestId = await receipts.receive({ path, headers: keptInboundHeaders(request.headers), body });
      if (requestId === null) throw noSuchSource();
      return { received: true, requestId };
    } finally {
      held.release();
    }
  };
  router.post('/webhooks/:code', async (request, response) => {
    response.json(await receive(request.params.code, request).catch(askToRetry));
  });
  router.post('/webhooks/:hubId/:ownerId', async (request, response) => {
    const { hubId, ownerId } = request.params;
    response.json(await receive(`${hubId}/${ownerId}`, request).catch(askToRetry));
  });
  return router;
}

const OUTCOMES: Readonly<Record<number, InboundOutcome>> = {
  200: 'accepted',
  400: 'not_json',
  404: 'unknown_code',
  413: 'too_large',
  415: 'unsupported_encoding',
  503: 'unavailable',
};

function countPost(metrics: Metrics): RequestHandler {
  return (request, response, next) => {
    response.locals['operationId'] = 'inbound';
    const startedMs = performance.now();
    if (request.method === 'POST') {
      response.once('close', () => {
        const outcome = response.writableFinished ? (OUTCOMES[response.statusCode] ?? 'error') : 'aborted';
        metrics.inboundPosts.inc({ outcome });
        metrics.inboundPostDuration.observe({ outcome }, (performance.now() - startedMs) / 1_000);
      });
    }
    next();
  };
}

/** Sequencers send again after a 503, and after nothing else that would fit. */
function askToRetry(error: unknown): never {
  if (!(error instanceof DatabaseUnavailableError || error instanceof TooManyWaitingError)) throw error;
  const options = { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error };
  throw new ApiError(503, 'The event could not be stored: send it again.', options);
}

/** Ingress codes are plain. Anything else needs neither its body nor a look-up, and some of it the database could not take. */
const refuseOtherCalls: RequestHandler = (request, _response, next) => {
  assertInboundCall(request.method, request.path.slice(1));
  next();
};
