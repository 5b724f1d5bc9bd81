/**
 * Reads the JSON body of a call by the same rules as the server: an empty body is no body, another content type a 415, too many
 * bytes a 413, invalid JSON a 400.
 */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { LIMITS } from '@svc/contract/limits';
import { ApiError, bodyTooLarge, damagedEncoding, undecodableBody, unreadableBody } from '@svc/domain/errors/errors';
import type { MockRequest } from './call.ts';

/**
 * @returns the parsed JSON; undefined without a body
 * @throws ApiError 400, 413, 415
 */
export function readJsonBody(request: Pick<MockRequest, 'headers' | 'body' | 'isDamaged'>): unknown {
  const { headers, body } = request;
  if (body.length === 0) return undefined;
  const contentType = headers['content-type'] ?? '';
  if (!/^\s*application\/json\s*(;|$)/i.test(contentType)) throw new ApiError(415, OWN_MESSAGES.bodyNotJson);
  assertUtf8(contentType);
  assertDecoded(request);
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

/**
 * Refuses a body that still declares an encoding, because the skin could not decompress it.
 * @throws ApiError 415 for an unsupported encoding, 400 for a body that does not match its declared encoding
 */
export function assertDecoded({ headers, isDamaged }: Pick<MockRequest, 'headers' | 'isDamaged'>): void {
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return;
  if (isDamaged === true) throw damagedEncoding(encoding);
  throw undecodableBody(`unsupported content encoding "${encoding}"`);
}
