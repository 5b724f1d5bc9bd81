/**
 * The inbound host (specification, "Vocabulary", rule 3): `POST /webhooks/:code` and the legacy `/webhooks/:hubId/:ownerId`.
 *
 * Several sequencers never retry a 4xx, so a payload that is not understood is still kept and acknowledged; only what
 * can never become a receipt is refused: an unknown code (404, before its body is read), a body that is no JSON (400) or
 * too large (413). When the database is away, or bodies fill the memory they may have, the answer is a 503, which sequencers
 * do retry.
 */
import { ApiError } from '@svc/domain/errors';
import { assertInboundBody, assertInboundPath, keptInboundHeaders, noSuchSource } from '@svc/domain/inbound-post';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { DatabaseUnavailableError } from '../store/db.ts';
import type { InboundOutcome, Metrics } from '../metrics.ts';
import { type ReceiptStore, TooManyWaitingError } from './receive.ts';

const RETRY_AFTER_SECONDS = 5;

/** Bytes of bodies that have arrived and are not answered yet: from then on new posts are put off. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

export interface InboundRouterOptions {
  readonly bodyLimitBytes: number;
  /** Default 64 MiB. At twice as much, posts that are still arriving are broken off. */
  readonly heldBytesMax?: number;
}

export function inboundRouter(
  receipts: ReceiptStore,
  { bodyLimitBytes, heldBytesMax = HELD_BYTES_MAX }: InboundRouterOptions,
  metrics: Metrics,
): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  // Whatever the declared type: platforms send JSON under several, or none.
  router.use(
    '/webhooks',
    countPost(metrics),
    refuseImpossiblePath,
    refuseUnknownPath(receipts),
    holdAtMost(heldBytesMax),
    express.raw({ type: () => true, limit: bodyLimitBytes }),
  );
  const receive = async (path: string, request: Request) => {
    const body: unknown = request.body;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    assertInboundBody(bytes.toString('utf8'));
    const post = { path, headers: keptInboundHeaders(request.headers), body: bytes };
    const requestId = await receipts.receive(post).catch(askToRetry);
    if (requestId === null) throw noSuchSource();
    return { received: true, requestId };
  };
  router.post('/webhooks/:code', async (request, response) => {
    response.json(await receive(request.params.code, request));
  });
  router.post('/webhooks/:hubId/:ownerId', async (request, response) => {
    response.json(await receive(`${request.params.hubId}/${request.params.ownerId}`, request));
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

function refuseUnknownPath(receipts: ReceiptStore): RequestHandler {
  return async (request, _response, next) => {
    const isKnown = request.method !== 'POST' || (await receipts.knows(request.path.slice(1)).catch(askToRetry));
    if (!isKnown) throw noSuchSource();
    next();
  };
}

/** Counts what has really arrived: a length that is merely announced takes no memory, and must not take anybody's place. */
function holdAtMost(bytesMax: number): RequestHandler {
  let heldBytes = 0;
  return (request, response, next) => {
    if (heldBytes >= bytesMax) askToRetry(new TooManyWaitingError('Too many bodies are held already.'));
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      heldBytes += chunk.length;
      // There is no memory for it, and no answer is read by a client that is still sending.
      if (heldBytes > 2 * bytesMax) request.destroy();
    });
    response.once('close', () => {
      heldBytes -= bytes;
    });
    next();
  };
}

/** Ingress codes are plain. Anything else needs neither its body nor a look-up, and some of it the database could not take. */
const refuseImpossiblePath: RequestHandler = (request, _response, next) => {
  assertInboundPath(request.path.slice(1));
  next();
};
