/**
 * The JSON body of a call, read by the rules that the server's framework has: nothing sent is no body; another content type
 * is a 415, too much a 413, broken JSON a 400.
 */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { LIMITS } from '@svc/contract/limits';
import { ApiError, bodyTooLarge, undecodableBody, unreadableBody } from '@svc/domain/errors';
import type { MockRequest } from './call.ts';

/** Encodings that a skin undoes before the core is called. One that is still declared here could not be undone. */
const UNDONE_ENCODINGS = ['gzip', 'deflate', 'br', 'zstd'];

/**
 * @returns what the JSON says; undefined when there is no body
 * @throws ApiError 400, 413, 415
 */
export function readJsonBody({ headers, body }: Pick<MockRequest, 'headers' | 'body'>): unknown {
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (body.length === 0 && !isChunked) return undefined;
  const contentType = headers['content-type'] ?? '';
  if (!/^\s*application\/json\s*(;|$)/i.test(contentType)) throw new ApiError(415, OWN_MESSAGES.bodyNotJson);
  const decode = decoderOf(contentType);
  assertDecoded(headers);
  if (body.length > LIMITS.apiBodyBytesMax) throw bodyTooLarge(LIMITS.apiBodyBytesMax);
  const text = decode(body);
  // A body without text that was announced is taken for an empty object, as the framework does.
  return text === '' ? {} : parseJson(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadableBody(error instanceof Error ? error.message : String(error));
  }
}

/** JSON is UTF-8, or UTF-16 when it says so. */
function decoderOf(contentType: string): (bytes: Uint8Array) => string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  try {
    const decoder = charset.startsWith('utf-') ? new TextDecoder(charset) : null;
    // Half a unit at the end is dropped.
    const unitBytes = decoder?.encoding.startsWith('utf-16') === true ? 2 : 1;
    if (decoder !== null)
      return (bytes) => decoder.decode(bytes.subarray(0, bytes.length - (bytes.length % unitBytes)));
  } catch {
    // A name that begins like one of Unicode's and is none.
  }
  throw undecodableBody(`unsupported charset "${charset.toUpperCase()}"`);
}

/** @throws ApiError 415 for an encoding that is none, 400 for a body that is not in the one that it is declared in */
export function assertDecoded(headers: MockRequest['headers']): void {
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return;
  if (UNDONE_ENCODINGS.includes(encoding)) throw unreadableBody(`it is not ${encoding}`);
  throw undecodableBody(`unsupported content encoding "${encoding}"`);
}
