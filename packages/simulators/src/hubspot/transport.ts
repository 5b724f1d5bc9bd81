import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, rateLimited, type RateLimitPolicy, Refusal } from './answer.ts';

/** Reading requests, sending answers, and failing to. */

const BODY_MAX_BYTES = 20 * 1024 * 1024;
const POLICIES: ReadonlyMap<SimulatedFault, RateLimitPolicy> = new Map([
  ['secondly', 'SECONDLY'],
  ['ten-secondly', 'TEN_SECONDLY_ROLLING'],
  ['daily', 'DAILY'],
]);

/**
 * What can go wrong with one request. A number is a status with the usual error body.
 * - `reset`: the connection breaks before anything was done. `lost-answer`: it breaks after the work was done.
 * - `hang`: no answer, ever. `truncated`: half of the answer's body. `html`: a gateway's page with status 502.
 * - `secondly`, `ten-secondly`, `daily`: a 429 of that policy.
 */
export type SimulatedFault =
  | number
  | 'reset'
  | 'lost-answer'
  | 'hang'
  | 'truncated'
  | 'html'
  | 'secondly'
  | 'ten-secondly'
  | 'daily';

export interface FaultOptions {
  /** Only requests whose `METHOD /path` matches are counted and fail. */
  match?: RegExp;
  /** Of these, the first so many pass. */
  skip?: number;
  retryAfterSeconds?: number;
}

/** Sends the failure; the status sent, 0 for none. A hanging request ends when either side closes. */
export function fail(response: ServerResponse, fault: SimulatedFault, { retryAfterSeconds }: FaultOptions): number {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  const policy = POLICIES.get(fault);
  if (policy !== undefined) return send(response, rateLimited(policy, headers));
  if (fault === 'html') {
    response
      .writeHead(502, { 'Content-Type': 'text/html', ...headers })
      .end('<html><body>502 Bad Gateway</body></html>');
    return 502;
  }
  if (typeof fault === 'number') {
    const category = fault === 401 ? 'EXPIRED_AUTHENTICATION' : fault === 403 ? 'MISSING_SCOPES' : 'INTERNAL_ERROR';
    const answer = new Refusal(fault, `simulated ${fault}`, { category }).toAnswer();
    return send(response, { ...answer, headers });
  }
  if (fault === 'reset') response.socket?.destroy();
  return 0;
}

export function send(response: ServerResponse, { status, body, headers }: Answer, isTruncated = false): number {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json;charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': randomUUID(),
    ...headers,
  });
  if (!isTruncated) {
    response.end(text);
    return status;
  }
  // The head promises more than comes.
  response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
  return status;
}

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > BODY_MAX_BYTES) throw new Error('body too large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The JSON value; text that is none stays text, and is refused where an object is expected. */
export function parseBody(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
