import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, rateLimited, type RateLimitPolicy, Refusal } from './answer.ts';

/** Reads requests, and sends answers or faults. */

const BODY_MAX_BYTES = 20 * 1024 * 1024;
const POLICIES: ReadonlyMap<SimulatedFault, RateLimitPolicy> = new Map([
  ['secondly', 'SECONDLY'],
  ['ten-secondly', 'TEN_SECONDLY_ROLLING'],
  ['daily', 'DAILY'],
]);

/**
 * A fault of one request. A number is a status with the usual error body.
 * - `reset`: the connection breaks before the work. `lost-answer`: it breaks after the work.
 * - `hang`: no answer. `truncated`: half of the answer's body. `html`: a gateway's page with status 502.
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
  /** Counts and fails only requests whose `METHOD /path` matches. */
  match?: RegExp;
  /** Number of matching requests that pass first. */
  skip?: number;
  retryAfterSeconds?: number;
}

/** Sends the fault; returns the status sent, 0 for none. A hanging request ends when either side closes. */
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
  // Sends less than the head announces.
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

/** Parses JSON. Other text is returned as text, and refused where an object is expected. */
export function parseBody(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
