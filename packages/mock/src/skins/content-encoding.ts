/** Bodies that were sent compressed: the engine is synchronous, so a skin undoes that before it calls it. */

/** More than any body that the service takes: whatever is larger is refused for its size, wherever it was cut. */
const DECODED_BYTES_MAX = 4 * 1024 * 1024;

export interface ReceivedBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Undoes an encoding that the web platform has no stream for. What it gives throws when the body is not in it. */
export type Decompress = (encoding: 'br' | 'zstd', body: Uint8Array<ArrayBuffer>) => AsyncIterable<Uint8Array>;

/**
 * The body in plain, and the headers without `content-encoding`. Both as they were when the encoding is none that is undone
 * here, or the body is not in it: the engine refuses what is still declared.
 *
 * @param decompress where the runtime has it; pages have none, and cannot send such bodies by themselves either
 */
export async function undoContentEncoding(received: ReceivedBody, decompress?: Decompress): Promise<ReceivedBody> {
  const { 'content-encoding': encoding = 'identity', ...headers } = received.headers;
  const decoded = decodedChunks(encoding.toLowerCase(), received.body, decompress);
  if (decoded === null) return received;
  try {
    return { headers, body: await collect(decoded) };
  } catch {
    return received;
  }
}

function decodedChunks(
  format: string,
  body: Uint8Array<ArrayBuffer>,
  decompress: Decompress | undefined,
): AsyncIterable<Uint8Array> | null {
  switch (format) {
    case 'gzip':
    case 'deflate':
      return chunksOf(new Blob([body]).stream().pipeThrough(new DecompressionStream(format)));
    case 'br':
    case 'zstd':
      return decompress?.(format, body) ?? null;
    default:
      return null;
  }
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function collect(decoded: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of decoded) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > DECODED_BYTES_MAX) break;
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
