import type { MockRequest } from '../service/call.ts';

/** Larger than the service's own limit, so a body cut to this size is still refused as too large. */
export const DECODED_BYTES_MAX = 4 * 1024 * 1024;

/** Decompresses the body of a request as `decompress` does in Node. Every browser knows gzip and deflate, other encodings are refused. */
export async function decompressByStream(request: MockRequest): Promise<MockRequest> {
  const { 'content-encoding': encoding = 'identity', ...headers } = request.headers;
  const format = encoding.toLowerCase();
  if (format !== 'gzip' && format !== 'deflate') return request;
  const compressed = new Blob([Uint8Array.from(request.body)]).stream();
  try {
    return { ...request, headers, body: await readStart(compressed.pipeThrough(new DecompressionStream(format))) };
  } catch {
    return { ...request, isDamaged: true };
  }
}

async function readStart(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let length = 0; length < DECODED_BYTES_MAX; ) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  await reader.cancel();
  return new Uint8Array(await new Blob(chunks).slice(0, DECODED_BYTES_MAX).arrayBuffer());
}
