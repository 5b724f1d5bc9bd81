/**
 * The inbound host (specification, "Vocabulary", rule 3): `POST /webhooks/:code` and the legacy `/webhooks/:hubId/:ownerId`.
 *
 * Several sequencers never retry a 4xx, so a payload that is not understood is still kept and acknowledged; only what
 * can never become a receipt is refused: an unknown code (404), a body that is no JSON (400) or too large (413).
 * When the database is away the answer is a 503, which sequencers do retry.
 */
import { ApiError, badRequest } from '@svc/domain/errors';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { DatabaseUnavailableError } from '../store/db.ts';
import { parseJson } from './json-body.ts';
import { type ReceiptStore, TooManyWaitingError } from './receive.ts';

/** Kept beside the body: what adapters verify and deduplicate by. Everything else may hold credentials and is dropped. */
const KEPT_HEADERS =
  /^(content-type|user-agent|x-request-id|x-smartlead-signature|x-salesloft-(event|signature)|x-[a-z0-9-]*event[a-z0-9-]*)$/;

const RETRY_AFTER_SECONDS = 5;

export function inboundRouter(receipts: ReceiptStore, bodyLimitBytes: number): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  // Whatever the declared type: platforms send JSON under several, or none.
  router.use('/webhooks', refuseImpossiblePath, express.raw({ type: () => true, limit: bodyLimitBytes }));
  const receive = async (path: string, request: Request) => {
    const body: unknown = request.body;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    assertJson(bytes);
    const post = { path, headers: keptHeaders(request), body: bytes };
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

/** Sequencers send again after a 503, and after nothing else that would fit. */
function askToRetry(error: unknown): never {
  if (!(error instanceof DatabaseUnavailableError || error instanceof TooManyWaitingError)) throw error;
  const options = { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error };
  throw new ApiError(503, 'The event could not be stored: send it again.', options);
}

/** Ingress codes are plain. Anything else needs neither its body nor a look-up, and some of it the database could not take. */
const refuseImpossiblePath: RequestHandler = (request, _response, next) => {
  if (!/^\/[\w-]{1,128}(\/[\w-]{1,128})?$/.test(request.path)) throw noSuchSource();
  next();
};

function noSuchSource(): ApiError {
  return new ApiError(404, 'No source has this inbound URL: copy it again from the source.');
}

function assertJson(bytes: Buffer): void {
  if (bytes.length === 0) throw badRequest('The body is empty: send the event as JSON.');
  try {
    parseJson(bytes);
  } catch (error) {
    throw badRequest(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function keptHeaders(request: Request): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && KEPT_HEADERS.test(name)) kept[name] = value.slice(0, 1_000);
  }
  return kept;
}
