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

/** What `createWebhookReceiver` takes. */
export interface WebhookReceiverOptions extends VerificationSettings {
  /** The webhook's secret; around a rotation the new one and the one before. */
  readonly secrets: readonly string[];
  /**
   * Called once for each event; a promise is waited for. When it fails, the service is answered 500 and sends the event again,
   * eight times in all. An attempt is given up on after 10 seconds: do what takes longer elsewhere.
   */
  readonly onEvent: (event: WebhookEvent, delivery: DeliveryInfo) => unknown;
  /** Which events were handled. Default `createMemorySeenStore()`: right for one process. */
  readonly seen?: SeenStore | undefined;
  /** Largest body that is read. Default 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Told of everything that went wrong, with what the sender is not told; waited for before the answer, and what it throws is
   * dropped. `error` is a `WebhookVerificationError`, a `WebhookRequestError`, or what `onEvent` or the store threw.
   */
  readonly onError?: ((error: unknown, failure: WebhookFailure) => unknown) | undefined;
}

/** What is known of a delivery beside its event. */
export interface DeliveryInfo {
  /** `oswhd_...`, to look the delivery up. From a header that is not signed. */
  readonly deliveryId: string | null;
}

/** What went wrong with a delivery, and how it was answered. */
export interface WebhookFailure extends DeliveryInfo {
  /** HTTP status of the answer. 200 when only the store failed, after the event was handled. */
  readonly status: number;
  /** Null when the request was refused. */
  readonly eventId: string | null;
}

/** A request as `handle` takes it, for frameworks without an adapter. */
export interface ReceivedWebhook {
  /** Default `POST`. */
  readonly method?: string | undefined;
  readonly headers: HeadersLike;
  /** The raw body. */
  readonly payload: SignedPayload;
}

/**
 * Functions that need no `this`. What they answer: 200 when the event was handled, now or before; 400 when the signature or
 * the body is no good; 405 when it is no POST; 413 when it is too large; 500 when `onEvent` or the store threw, or a body parser
 * took the bytes; 503 when another process is handling the event.
 */
export interface WebhookReceiver {
  handle(request: ReceivedWebhook): Promise<WebhookAnswer>;
  /** For Workers, Deno, Bun, Next.js route handlers, Hono and all else that has `Request` and `Response`. */
  fetch(request: Request): Promise<Response>;
  /** Listener for `node:http`. Returns at once. */
  node(request: NodeRequestLike, response: NodeResponseLike): void;
  /**
   * Handler for Express: `app.post('/hooks', receiver.express)`. Needs the raw body: mount it before any JSON parser, or
   * behind `express.raw({ type: 'application/json' })`, or keep the bytes as `request.rawBody` in the parser's `verify`. Also for
   * functions on a serverless platform that are called as Node's listeners are, and waited for.
   */
  express(request: NodeRequestLike, response: NodeResponseLike): Promise<void>;
}

/** What an adapter knows of a request before its body is read. */
interface IncomingWebhook {
  readonly method: string;
  readonly headers: HeadersLike;
  /** @throws WebhookRequestError */
  readonly readPayload: () => Promise<SignedPayload>;
}

const DEFAULT_MAX_BODY_BYTES = 1_048_576;

/**
 * Receives deliveries: verifies, parses, drops repeats, and answers so that the service sends again what was not handled
 * (specification, "Events", delivery rules). Two deliveries of one event at once run `onEvent` once, and both get its outcome.
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
      // An answer that fails because its failure could not be logged helps nobody.
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

  /** Never rejects: others may be waiting for it. */
  async function handleOnce(event: WebhookEvent, deliveryId: string | null): Promise<WebhookAnswer> {
    const eventId = event.id;
    const fail = (error: unknown, status: number) => report(error, { status, eventId, deliveryId });
    const tell = async (step: () => unknown, status: number) => {
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
      // First: a log that is slow shall not hold the event.
      await tell(() => seen.release(eventId), 500);
      await fail(error, 500);
      return ANSWERS.handlerFailed;
    }
    // Whatever comes of it: the event was handled, and sent again it would be handled twice.
    await tell(() => seen.complete(eventId), 200);
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
      // Somebody else has written an answer. A promise that is rejected would end a process with Express 4, which looks at none.
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
