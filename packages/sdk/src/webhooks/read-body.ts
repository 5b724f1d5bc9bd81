import { WebhookRequestError } from './errors.ts';

/** Reads one chunk of a stream: `ReadableStreamDefaultReader.read`, or `next` of a Node stream's iterator. */
export type ReadChunk = () => Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;

/**
 * Reads all bytes of a body.
 *
 * @param declaredLength value of `Content-Length`; when it is too large, nothing is read
 * @throws WebhookRequestError `body_too_large` or `body_incomplete`
 */
export async function readBody(
  read: ReadChunk,
  maxBodyBytes: number,
  declaredLength: string | null,
): Promise<Uint8Array> {
  if (Number(declaredLength ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await readStep(read);
    if (done === true) break;
    const chunk = toBytes(value);
    length += chunk.length;
    if (length > maxBodyBytes) throw tooLarge(maxBodyBytes);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** Reads and drops up to `maxBytes`, because a sender does not read the answer while it is still sending. */
export async function discardBody(read: ReadChunk, maxBytes: number): Promise<void> {
  let length = 0;
  try {
    while (length <= maxBytes) {
      const { done, value } = await read();
      if (done === true) return;
      length += toBytes(value).length;
    }
  } catch {
    // The sender closed the connection.
  }
}

export function tooLarge(maxBodyBytes: number): WebhookRequestError {
  return new WebhookRequestError(`The body is larger than ${maxBodyBytes} bytes`, { reason: 'body_too_large' });
}

async function readStep(read: ReadChunk): ReturnType<ReadChunk> {
  try {
    return await read();
  } catch (cause) {
    throw new WebhookRequestError('The request broke off before its body was complete', {
      reason: 'body_incomplete',
      cause,
    });
  }
}

/** Returns bytes for a chunk. A Node stream with an encoding yields text. */
function toBytes(chunk: unknown): Uint8Array {
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return new TextEncoder().encode(String(chunk));
}
