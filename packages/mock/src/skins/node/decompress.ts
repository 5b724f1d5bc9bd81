import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { MockRequest } from '../../service/call.ts';

const DECODERS = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

/** Larger than the service's own limit, so a body cut to this size is still refused as too large. */
const DECODED_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Returns the request with its body decompressed and without `content-encoding`. A request whose encoding is unknown or wrong is
 * returned as it is; the engine refuses it.
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
    return isTooLarge ? { ...request, headers, body: new Uint8Array(DECODED_BYTES_MAX) } : request;
  }
}
