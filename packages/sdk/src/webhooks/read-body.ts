import { WebhookRequestError } from './errors.ts';

/** One step of a stream: what `ReadableStreamDefaultReader.read` and the async iterator of a Node stream both give. */
export type ReadChunk = () => Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;

/**
 * All bytes of a body.
 *
 * @param declaredLength value of `Content-Length`; a body that says it is too large is not read at all
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

/** Reads on without keeping anything: a sender that is still sending does not hear an answer. Gives up after `maxBytes`. */
export async function discardBody(read: ReadChunk, maxBytes: number): Promise<void> {
  let length = 0;
  try {
    while (length <= maxBytes) {
      const { done, value } = await read();
      if (done === true) return;
      length += toBytes(value).length;
    }
  } catch {
    // The sender went away.
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

/** A Node stream gives text when somebody set its encoding. */
function toBytes(chunk: unknown): Uint8Array {
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return new TextEncoder().encode(String(chunk));
}
