import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { MockRequest } from '../../service/call.ts';
import { DECODED_BYTES_MAX } from '../decompress-by-stream.ts';

const DECODERS = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

/**
 * Returns the request with its body decompressed and without `content-encoding`. A request whose encoding is unknown is returned
 * as it is, and a body that is not in its encoding is marked as damaged; the engine refuses both.
 */
export function decompress(request: MockRequest): MockRequest {
  const { 'content-encoding': encoding = 'identity', ...headers } = request.headers;
  const decode = new Map(Object.entries(DECODERS)).get(encoding.toLowerCase());
  if (decode === undefined) return request;
  try {
    return { ...request, headers, body: decode(request.body, { maxOutputLength: DECODED_BYTES_MAX }) };
  } catch (error) {
    const isTooLarge = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    // Still above the service's limit, which refuses it as too large.
    return isTooLarge
      ? { ...request, headers, body: new Uint8Array(DECODED_BYTES_MAX) }
      : { ...request, isDamaged: true };
  }
}
