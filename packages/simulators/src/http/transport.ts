import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

/** Reads requests and sends answers. */

const BODY_MAX_BYTES = 20 * 1024 * 1024;

/** Sends an answer, or only half of its body; returns its status. */
export function send(response: ServerResponse, { status, body, text, headers }: Answer, isTruncated = false): number {
  const content = text ?? (body === undefined ? '' : JSON.stringify(body));
  response.writeHead(status, {
    'Content-Type': 'application/json;charset=utf-8',
    // An answer without content has no length.
    ...(status === 204 ? {} : { 'Content-Length': Buffer.byteLength(content) }),
    'X-Request-Id': randomUUID(),
    ...headers,
  });
  if (!isTruncated || content === '') {
    response.end(content);
    return status;
  }
  // Sends less than the head announces.
  response.write(content.slice(0, content.length / 2), () => response.socket?.destroy());
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
