import { DEFAULT_SIGNATURE_TOLERANCE_SECONDS, type SignedPayload } from '@svc/domain/webhooks/webhook-signature';
import { ConfigurationError } from '../errors/errors.ts';
import { ANSWERS, toRefusal, type WebhookAnswer } from './answers.ts';
import { WebhookRequestError } from './errors.ts';
import type { WebhookEvent } from './events.ts';
import { fetchReader } from './fetch-request.ts';
import { type HeadersLike, readHeader, webhookHeaderNames } from './header-names.ts';
import { type NodeRequestLike, type NodeResponseLike, nodeReader, writeNodeAnswer } from './node-request.ts';
import { createMemorySeenStore, type SeenStore } from './seen-store.ts';
import { checkSettings, type VerificationSettings, verifyWebhook } from './verify.ts';

/** Options of `createWebhookReceiver`. */
export interface WebhookReceiverOptions extends VerificationSettings {
  /** The webhook's signing secret; during a rotation the new one and the old one. */
  readonly secrets: readonly string[];
  /**
   * Called once for each event; a promise is awaited. When it fails, the receiver answers 500 and the service sends the event again,
   * up to eight times in all. The service waits 10 seconds for an answer: queue longer work.
   */
  readonly onEvent: (event: WebhookEvent, delivery: DeliveryInfo) => unknown;
  /** Remembers which events were handled. Default `createMemorySeenStore()`, for a single process. */
  readonly seen?: SeenStore | undefined;
  /** Largest body to read, in bytes. Default 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Called for each failure, with details that the sender does not get. It is awaited before the answer, and its own errors are
   * ignored. `error` is a `WebhookVerificationError`, a `WebhookRequestError`, or the error of `onEvent` or of the store.
   */
  readonly onError?: ((error: unknown, failure: WebhookFailure) => unknown) | undefined;
}

/** Facts about a delivery, beside its event. */
export interface DeliveryInfo {
  /** Id of the delivery, `oswhd_...`, from a header that is not signed. */
  readonly deliveryId: string | null;
}

/** A failed delivery and how it was answered. */
export interface WebhookFailure extends DeliveryInfo {
  /** HTTP status of the answer; 200 when only the store failed after the event was handled. */
  readonly status: number;
  /** Null when the request was refused. */
  readonly eventId: string | null;
}

/** A request for `handle`, for frameworks without an adapter. */
export interface ReceivedWebhook {
  /** Default `POST`. */
  readonly method?: string | undefined;
  readonly headers: HeadersLike;
  /** The raw body. */
  readonly payload: SignedPayload;
}

/**
 * Handlers of deliveries; none of them needs `this`. They answer 200 when the event was handled, now or before; 400 for an invalid
 * signature or body; 405 for another method than POST; 413 for a body that is too large; 500 when `onEvent` or the store threw, or a
 * body parser consumed the bytes; 503 when another process is handling the event.
 */
export interface WebhookReceiver {
  /** Takes a request of any framework and returns the answer. */
  handle(request: ReceivedWebhook): Promise<WebhookAnswer>;
  /** Handler for Workers, Deno, Bun, Next.js, Hono and everything else with `Request` and `Response`. */
  fetch(request: Request): Promise<Response>;
  /** Listener for `node:http`. Returns at once. */
  node(request: NodeRequestLike, response: NodeResponseLike): void;
  /**
   * Handler for Express: `app.post('/hooks', receiver.express)`. Needs the raw body: mount it before any JSON parser or
   * behind `express.raw({ type: 'application/json' })`, or keep the bytes as `request.rawBody` in the parser's `verify`. Also fits
   * serverless functions that get Node's request and response and are awaited.
   */
  express(request: NodeRequestLike, response: NodeResponseLike): Promise<void>;
}

/** A request whose body has not been read. */
interface IncomingWebhook {
  readonly method: string;
  readonly headers: HeadersLike;
  /** @throws WebhookRequestError */
  readonly readPayload: () => Promise<SignedPayload>;
}

const DEFAULT_MAX_BODY_BYTES = 1_048_576;

/**
 * Creates a receiver of deliveries. It verifies and parses them, drops repeats, and answers so that the service sends again what was
 * not handled. Concurrent deliveries of one event share one call of `onEvent`. Express, Fastify, Hono and Next.js:
 * README.md#recipes.
 *
 * @throws ConfigurationError when a setting can never work
 * @example
 * const receiver = createWebhookReceiver({ secrets: [process.env.SVC_WEBHOOK_SECRET ?? ''], onEvent, onError: console.error });
 * http.createServer(receiver.node).listen(3000);
 */
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  const { secrets, onEvent, onError, seen = createMemorySeenStore() } = options;
  const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES, toleranceSeconds = DEFAULT_SIGNATURE_TOLERANCE_SECONDS } = options;
  checkSettings(secrets, toleranceSeconds);
  if (!(maxBodyBytes > 0)) throw new ConfigurationError('maxBodyBytes must be more than 0');
  const names = webhookHeaderNames(options.headerPrefix);
  const running = new Map<string, Promise<WebhookAnswer>>();

  async function report(error: unknown, failure: WebhookFailure): Promise<void> {
    try {
      await onError?.(error, failure);
    } catch {
      // A failure to log must not prevent the answer.
    }
  }

  async function receive({ method, headers, readPayload }: IncomingWebhook): Promise<WebhookAnswer> {
    const deliveryId = readHeader(headers, names.deliveryId);
    let event: WebhookEvent;
    try {
      if (method.toUpperCase() !== 'POST') {
        throw new WebhookRequestError(`A webhook is a POST, not a ${method}`, { reason: 'method_not_allowed' });
      }
      const { headerPrefix, secretPrefix, now } = options;
      const payload = await readPayload();
      event = await verifyWebhook({ payload, headers, secrets, toleranceSeconds, headerPrefix, secretPrefix, now });
    } catch (error) {
      const refusal = toRefusal(error);
      await report(error, { status: refusal.status, eventId: null, deliveryId });
      return refusal;
    }
    const joined = running.get(event.id);
    if (joined) return joined;
    const outcome = handleOnce(event, deliveryId).finally(() => running.delete(event.id));
    running.set(event.id, outcome);
    return outcome;
  }

  /** Handles an event. Never rejects, because concurrent deliveries may share the promise. */
  async function handleOnce(event: WebhookEvent, deliveryId: string | null): Promise<WebhookAnswer> {
    const eventId = event.id;
    const fail = (error: unknown, status: number) => report(error, { status, eventId, deliveryId });
    const runStoreStep = async (step: () => unknown, status: number) => {
      try {
        await step();
      } catch (error) {
        await fail(error, status);
      }
    };
    try {
      const claim = await seen.claim(eventId);
      if (claim === 'done') return ANSWERS.duplicate;
      if (claim === 'busy') return ANSWERS.inProgress;
    } catch (error) {
      await fail(error, 500);
      return ANSWERS.storeFailed;
    }
    try {
      await onEvent(event, { deliveryId });
    } catch (error) {
      // Before `onError`, so that a slow log does not hold the claim.
      await runStoreStep(() => seen.release(eventId), 500);
      await fail(error, 500);
      return ANSWERS.handlerFailed;
    }
    // The answer is 200 even when the store fails: sent again, the event would be handled twice.
    await runStoreStep(() => seen.complete(eventId), 200);
    return ANSWERS.ok;
  }

  async function answerNode(request: NodeRequestLike, response: NodeResponseLike): Promise<void> {
    const reader = nodeReader(request, maxBodyBytes);
    const { method = 'GET', headers } = request;
    const outcome = await receive({ method, headers, readPayload: () => reader.readPayload() });
    if (outcome.status === 413) await reader.discardRest();
    try {
      writeNodeAnswer(response, outcome);
    } catch (error) {
      // Something else has answered already. Express 4 does not handle rejections, so one would end the process.
      await report(error, { status: 500, eventId: null, deliveryId: null });
    }
  }

  return {
    handle: ({ method = 'POST', headers, payload }) => receive({ method, headers, readPayload: async () => payload }),
    async fetch(request) {
      const { method, headers } = request;
      const outcome = await receive({ method, headers, readPayload: fetchReader(request, maxBodyBytes) });
      return new Response(outcome.body, { status: outcome.status, headers: outcome.headers });
    },
    node(request, response) {
      void answerNode(request, response);
    },
    express: answerNode,
  };
}
