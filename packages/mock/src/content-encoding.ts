/** Bodies that were sent compressed: the core is synchronous, so a skin undoes that before it calls it. */

/** More than any body that the service takes: whatever is larger is refused for its size, wherever it was cut. */
const DECODED_BYTES_MAX = 4 * 1024 * 1024;

export interface ReceivedBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * The body in plain, and the headers without `content-encoding`. Both as they were when the encoding is none that is undone
 * here, or the body is not in it: the core refuses what is still declared.
 */
export async function undoContentEncoding(received: ReceivedBody): Promise<ReceivedBody> {
  const { 'content-encoding': encoding = 'identity', ...headers } = received.headers;
  const format = encoding.toLowerCase();
  if (format !== 'gzip' && format !== 'deflate') return received;
  try {
    const body = await collect(new Blob([received.body]).stream().pipeThrough(new DecompressionStream(format)));
    return { headers, body };
  } catch {
    return received;
  }
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (length <= DECODED_BYTES_MAX) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  if (length > DECODED_BYTES_MAX) await reader.cancel();
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
