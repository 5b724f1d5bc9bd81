/**
 * The inbound host (`domain/src/syncs/inbound-post.ts`): `POST /webhooks/:code` and the legacy
 * `/webhooks/:hubId/:ownerId`.
 *
 * Several sequencers never retry a 4xx, so payloads that cannot be parsed are also stored and acknowledged. Refused are
 * only an unknown code (404, before its body is read), a body that is neither JSON nor a form (400) or too large (413), and a post without
 * the secret that its source requires (401). When the database is unavailable or the memory limit of bodies is reached, the answer is a 503, which sequencers
 * retry.
 */
import { ApiError } from '@svc/domain/errors/errors';
import {
  assertInboundCall,
  notAuthentic,
  noSuchSource,
  parseInboundBody,
  pickInboundHeaders,
  pickInboundParameters,
} from '@svc/domain/syncs/inbound-post';
import { secretHeaders } from '@svc/domain/syncs/source-secret';
import { type ReceivedPost, verifyPost } from '@svc/sequencers/authenticity';
import express, { type Request, type RequestHandler, type Router } from 'express';
import type { Clock } from '@svc/engine/runtime/clock';
import { validSecrets } from '@svc/engine/secrets/source-secrets';
import { DatabaseUnavailableError } from '@svc/engine/store/database/db';
import type { InboundOutcome, Metrics } from '@svc/engine/runtime/metrics';
import { within } from '@svc/engine/runtime/within';
import { createHeldBodies, TooManyHeldPostsError } from './held-bodies.ts';
import type { KnownSource } from './known-paths.ts';
import { readBody, StoppingError } from './read-body.ts';
import type { ReceiptStore } from './receive.ts';
import type { RefusalCounts } from './refusals.ts';

const RETRY_AFTER_SECONDS = 5;
/** Longest wait for the database: the most patient sequencers give up after 30 seconds, others after 5 to 10. */
const DATABASE_TIMEOUT_MS = 8_000;

export interface InboundRouterOptions {
  readonly bodyLimitBytes: number;
  /** See `createHeldBodies`. */
  readonly heldBytesMax?: number | undefined;
  readonly clock: Clock;
  readonly refusals: Pick<RefusalCounts, 'note'>;
  /** Called when a post was not stored because of the database. */
  readonly onUnstored?: (() => void) | undefined;
  /** Aborted when a stopping server waits no longer for the rest of bodies. */
  readonly bodiesEnd?: AbortSignal | undefined;
}

/** The secrets of a source cannot be decrypted, so its posts cannot be verified. */
class UnverifiablePostError extends Error {
  override readonly name = 'UnverifiablePostError';
}

export function inboundRouter(receipts: ReceiptStore, options: InboundRouterOptions, metrics: Metrics): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const heldBodies = createHeldBodies(options);
  router.use('/webhooks', countPost(metrics), refuseOtherCalls);
  const receive = async (path: string, request: Request) => {
    // Check everything that does not need the body before reading it.
    const source = await inTime(receipts.find(path));
    if (source === null) throw noSuchSource();
    const held = heldBodies.begin(path);
    try {
      const body = await readBody(request, held, options.bodyLimitBytes, options.bodiesEnd).finally(held.finish);
      // Platforms send JSON under any type, or none.
      const json = parseInboundBody(body.toString('utf8'), request.headers['content-type']);
      assertAuthentic(source, { headers: request.headers, body, json });
      const headers = {
        ...pickInboundHeaders(request.headers, secretHeaders(source.secrets ?? [])),
        ...pickInboundParameters(request.originalUrl),
      };
      const requestId = await inTime(receipts.receive({ path, headers, body }));
      if (requestId === null) throw noSuchSource();
      return { received: true, requestId };
    } finally {
      held.release();
    }
  };
  /** A post that is stored after all is repeated by its sequencer, which does no harm. */
  const inTime = <T>(work: Promise<T>) =>
    within(
      options.clock,
      DATABASE_TIMEOUT_MS,
      work,
      () => new DatabaseUnavailableError(`The database did not answer within ${DATABASE_TIMEOUT_MS} ms.`),
    );
  const answerToRepeat = (error: unknown): never => {
    if (error instanceof DatabaseUnavailableError) options.onUnstored?.();
    return askToRetry(error);
  };
  /** @throws ApiError 401 */
  const assertAuthentic = (source: KnownSource, post: ReceivedPost) => {
    if (source.secrets === null)
      throw new UnverifiablePostError(`The secrets of source ${source.id} cannot be decrypted.`);
    if (source.secrets.length === 0) return;
    const now = options.clock.now();
    const verdict = verifyPost(validSecrets(source.secrets, now), post, now);
    if (verdict === 'ok') return;
    options.refusals.note(source.id, verdict);
    throw notAuthentic();
  };
  router.post('/webhooks/:code', async (request, response) => {
    response.json(await receive(request.params.code, request).catch(answerToRepeat));
  });
  router.post('/webhooks/:hubId/:ownerId', async (request, response) => {
    const { hubId, ownerId } = request.params;
    response.json(await receive(`${hubId}/${ownerId}`, request).catch(answerToRepeat));
  });
  return router;
}

const OUTCOMES: Readonly<Record<number, InboundOutcome>> = {
  200: 'accepted',
  400: 'not_json',
  401: 'not_authentic',
  404: 'unknown_code',
  413: 'too_large',
  415: 'unsupported_encoding',
  503: 'unavailable',
};

/** Counts a post by its answer. */
export function countPost(metrics: Metrics): RequestHandler {
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

const TEMPORARY = [DatabaseUnavailableError, TooManyHeldPostsError, UnverifiablePostError, StoppingError];

/** Turns a temporary failure into a 503, the only status after which all sequencers retry. */
function askToRetry(error: unknown): never {
  if (!TEMPORARY.some((kind) => error instanceof kind)) throw error;
  const options = { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error };
  throw new ApiError(503, 'The event could not be stored: send it again.', options);
}

/** Refuses other methods and paths with unusual characters before any look-up; the database cannot store some of them. */
const refuseOtherCalls: RequestHandler = (request, _response, next) => {
  assertInboundCall(request.method, request.path.slice(1));
  next();
};
