/**
 * Requests of `node:http` and Express. The types name only the parts in use, so that nothing of Node is imported and the requests of
 * Bun and Deno fit too.
 */
import type { WebhookAnswer } from './answers.ts';
import { RAW_BODY_ADVICE, WebhookRequestError } from './errors.ts';
import { discardBody, type ReadChunk, readBody, tooLarge } from './read-body.ts';

/** The parts of a `node:http` or Express request that the receiver uses. */
export interface NodeRequestLike {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Whether anything was read from the stream. */
  readonly readableDidRead?: boolean | undefined;
  readonly readableEnded?: boolean | undefined;
  /** The result of a body parser: bytes after `express.raw()`. */
  readonly body?: unknown;
  /** The bytes, when a body parser keeps them. */
  readonly rawBody?: unknown;
  [Symbol.asyncIterator](): { next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }> };
}

/** The parts of a `node:http` or Express response that the receiver uses. */
export interface NodeResponseLike {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

export interface NodeReader {
  /** @throws WebhookRequestError */
  readPayload(): Promise<Uint8Array | string>;
  /** Reads and drops the rest of a body that was too large, up to a limit. */
  discardRest(): Promise<void>;
}

/**
 * Reads the raw body from `rawBody`, else from a `body` that is bytes or text, else from the stream. Express 4 sets `body` to `{}`
 * without reading anything, so only the state of the stream shows whether a parser ran.
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
        throw new WebhookRequestError(`the raw body is needed, but a body parser ran before. ${RAW_BODY_ADVICE}`, {
          reason: 'body_already_parsed',
        });
      }
      // `return` of the iterator is never called: it would close the connection before the answer.
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
  // The rest of the body may still be arriving.
  if (status === 413) response.setHeader('Connection', 'close');
  response.end(body);
}
