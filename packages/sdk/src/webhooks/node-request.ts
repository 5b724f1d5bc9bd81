/**
 * Requests of `node:http` and of what is built on it. The types say what is used of them, so that nothing of Node is imported
 * and `IncomingMessage`, Express' `Request` and their likes of Bun and Deno all fit.
 */
import type { WebhookAnswer } from './answers.ts';
import { WebhookRequestError } from './errors.ts';
import { discardBody, type ReadChunk, readBody, tooLarge } from './read-body.ts';

/** What is used of a request of `node:http` or Express. */
export interface NodeRequestLike {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Whether anything was read from the stream. */
  readonly readableDidRead?: boolean | undefined;
  readonly readableEnded?: boolean | undefined;
  /** What a body parser made of the body: bytes after `express.raw()`. */
  readonly body?: unknown;
  /** The bytes, where a body parser was told to keep them. */
  readonly rawBody?: unknown;
  [Symbol.asyncIterator](): { next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }> };
}

/** What is used of a response of `node:http` or Express. */
export interface NodeResponseLike {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

export interface NodeReader {
  /** @throws WebhookRequestError */
  readPayload(): Promise<Uint8Array | string>;
  /** After a body that was too large: a good part of what is left of it. */
  discardRest(): Promise<void>;
}

/**
 * The raw body, from where it is: `rawBody`, else a `body` that is still bytes or text, else the stream. Express 4 puts `{}`
 * into `body` without having read anything, so an object there proves nothing: whether the stream was touched does.
 */
export function nodeReader(request: NodeRequestLike, maxBodyBytes: number): NodeReader {
  let read: ReadChunk | null = null;
  return {
    async readPayload() {
      for (const kept of [request.rawBody, request.body]) {
        const payload = rawOf(kept);
        if (payload === null) continue;
        if (lengthOf(payload) > maxBodyBytes) throw tooLarge(maxBodyBytes);
        return payload;
      }
      if (request.readableDidRead === true || request.readableEnded === true) {
        throw new WebhookRequestError(
          'the raw body is needed, but a body parser ran before. In Express, mount the receiver before express.json(), ' +
            'or behind express.raw({ type: "application/json" })',
          { reason: 'body_already_parsed' },
        );
      }
      // Its `return` is never called: that would close the connection, and nothing could be answered.
      const chunks = request[Symbol.asyncIterator]();
      read = () => chunks.next();
      const { 'content-length': declared } = request.headers;
      return readBody(read, maxBodyBytes, typeof declared === 'string' ? declared : null);
    },
    async discardRest() {
      if (read !== null) await discardBody(read, 2 * maxBodyBytes);
    },
  };
}

function rawOf(value: unknown): Uint8Array | string | null {
  if (typeof value === 'string') return value;
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : null;
}

function lengthOf(payload: Uint8Array | string): number {
  return typeof payload === 'string' ? new TextEncoder().encode(payload).length : payload.length;
}

export function writeNodeAnswer(response: NodeResponseLike, { status, headers, body }: WebhookAnswer): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // The rest of such a body may still be under way.
  if (status === 413) response.setHeader('Connection', 'close');
  response.end(body);
}
