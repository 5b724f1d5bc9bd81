/** One request to the API of a sequencer, and its answer as text. */
import { forwardAbort } from '@svc/domain/network/forward-abort';

export interface SequencerCallOptions {
  fetch: typeof globalThis.fetch;
  /** No slash at the end. */
  baseUrl: string;
  /** Timeout of one call, including its whole answer. */
  timeoutMs: number;
  /** Aborts running calls when the process stops. */
  signal?: AbortSignal;
  now: () => Date;
}

export interface SequencerRequest {
  /** The platform's name, for messages. */
  platform: string;
  /** Default: POST. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. May hold the token, so it must not appear in messages. */
  path: string;
  headers?: Record<string, string>;
  /** Default: no body. */
  body?: unknown;
  /** Bytes of the answer that are read, at most. Default 1 MiB: the answer to 1,000 entries has less. */
  bytesMax?: number;
}

export type SentRequest =
  | { status: 'answered'; httpStatus: number; headers: Headers; text: string }
  /** No whole answer came. `message` says why. */
  | { status: 'failed'; message: string };

const ANSWER_MAX_BYTES = 1024 * 1024;
const REASON_MAX_LENGTH = 200;

/** Never rejects. */
export async function sendRequest(options: SequencerCallOptions, request: SequencerRequest): Promise<SentRequest> {
  const { platform, method = 'POST', path, headers, body, bytesMax = ANSWER_MAX_BYTES } = request;
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const controller = new AbortController();
  const endRequest = forwardAbort(controller, [timeout, options.signal]);
  try {
    const response = await options.fetch(options.baseUrl + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        Accept: 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A followed redirect could send the token to another host.
      redirect: 'manual',
      signal: controller.signal,
    });
    const { text, isWhole } = await readText(response, bytesMax);
    // A part of it may look like a success that it is not. A refusal says enough by its status.
    if (response.ok && !isWhole) {
      return { status: 'failed', message: `${platform} gave an answer of more than ${bytesMax / 1024} KiB` };
    }
    return { status: 'answered', httpStatus: response.status, headers: response.headers, text };
  } catch (error) {
    // The error's own text may hold the URL with the token.
    const message = timeout.aborted
      ? `${platform} did not answer in time`
      : `${platform} could not be reached${codeOf(error)}`;
    return { status: 'failed', message };
  } finally {
    endRequest();
  }
}

export interface ParsedAnswer {
  /** Undefined when the answer is not JSON. */
  body: unknown;
  /** Some refusals have status 200. */
  isRefusal: boolean;
  reason: string;
}

export function parseAnswer(text: string): ParsedAnswer {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { body: undefined, isRefusal: false, reason: '' };
  }
  const { ok, success, message, error } =
    typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
  const reason = [message, error].find((part) => typeof part === 'string');
  return { body, isRefusal: ok === false || success === false, reason: typeof reason === 'string' ? reason : '' };
}

/** Removes the token, plain and URL-encoded, and email addresses from an answer's message. */
export function redactReason(token: string, reason: string): string {
  return [token, encodeURIComponent(token)]
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '[…]'), reason)
    .replaceAll(/\S+@\S+/g, '[…]')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, REASON_MAX_LENGTH);
}

/** The API key is the password of a user without a name. */
export function basicAuthorization(apiKey: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`:${apiKey}`)))}`;
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
}

async function readText(response: Response, bytesMax: number): Promise<{ text: string; isWhole: boolean }> {
  if (response.body === null) return { text: '', isWhole: true };
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > bytesMax) return { text, isWhole: false };
    text += decoder.decode(chunk, { stream: true });
  }
  return { text, isWhole: true };
}
