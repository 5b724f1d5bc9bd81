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
  if (charset === 'utf-16') return (bytes) => decodeUtf16(bytes, isBigEndian(bytes));
  try {
    const decoder = charset.startsWith('utf-') ? new TextDecoder(charset) : null;
    if (decoder?.encoding.startsWith('utf-16') === true) {
      return (bytes) => decodeUtf16(bytes, decoder.encoding === 'utf-16be');
    }
    if (decoder !== null) return (bytes) => decoder.decode(bytes);
  } catch {
    // A name that begins like one of Unicode's and is none.
  }
  throw undecodableBody(`unsupported charset "${charset.toUpperCase()}"`);
}

/** Half a unit at the end is dropped, and half a pair stays what it is, where `TextDecoder` would replace it. */
function decodeUtf16(bytes: Uint8Array, isBig: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const units = Array.from({ length: bytes.length >> 1 }, (_, index) => view.getUint16(2 * index, !isBig));
  const text = units.map((unit) => String.fromCharCode(unit)).join('');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** By the mark at the beginning, else by which half of the units is empty, in the first hundred of them. */
function isBigEndian(bytes: Uint8Array): boolean {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return false;
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return true;
  let surplus = 0;
  for (let at = 0; at + 1 < Math.min(bytes.length, 200); at += 2) {
    const [first, second] = [bytes[at] === 0, bytes[at + 1] === 0];
    if (first !== second) surplus += first ? 1 : -1;
  }
  return surplus > 0;
}

/** @throws ApiError 415 for an encoding that is none, 400 for a body that is not in the one that it is declared in */
export function assertDecoded(headers: MockRequest['headers']): void {
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return;
  if (UNDONE_ENCODINGS.includes(encoding)) throw damagedEncoding(encoding);
  throw undecodableBody(`unsupported content encoding "${encoding}"`);
}
