/**
 * The JSON body of a call, read by the rules that the server's framework has: nothing sent is no body; another content type
 * is a 415, too much a 413, broken JSON a 400.
 */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { LIMITS } from '@svc/contract/limits';
import { ApiError, bodyTooLarge, damagedEncoding, undecodableBody, unreadableBody } from '@svc/domain/errors/errors';
import type { MockRequest } from './call.ts';

/** Encodings that a skin undoes before the engine is called. One that is still declared here could not be undone. */
const UNDONE_ENCODINGS = ['gzip', 'deflate', 'br', 'zstd'];

/**
 * @returns what the JSON says; undefined when there is no body
 * @throws ApiError 400, 413, 415
 */
export function readJsonBody({ headers, body }: Pick<MockRequest, 'headers' | 'body'>): unknown {
  if (body.length === 0) return undefined;
  const contentType = headers['content-type'] ?? '';
  if (!/^\s*application\/json\s*(;|$)/i.test(contentType)) throw new ApiError(415, OWN_MESSAGES.bodyNotJson);
  assertUtf8(contentType);
  assertDecoded(headers);
  if (body.length > LIMITS.apiBodyBytesMax) throw bodyTooLarge(LIMITS.apiBodyBytesMax);
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    throw unreadableBody(error instanceof Error ? error.message : String(error));
  }
}

/** @throws ApiError 415 for a charset other than UTF-8 */
function assertUtf8(contentType: string): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) throw undecodableBody(`unsupported charset "${charset.toUpperCase()}"`);
}

/** @throws ApiError 415 for an encoding that is none, 400 for a body that is not in the one that it is declared in */
export function assertDecoded(headers: MockRequest['headers']): void {
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return;
  if (UNDONE_ENCODINGS.includes(encoding)) throw damagedEncoding(encoding);
  throw undecodableBody(`unsupported content encoding "${encoding}"`);
}
