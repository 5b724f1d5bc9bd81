/** Reads a post's body as it arrives and decompresses it, counting its memory at every step. */
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { bodyTooLarge, damagedEncoding, undecodableBody, unreadableBody } from '@svc/domain/errors/errors';
import { type HeldBody, TooManyHeldPostsError } from './held-bodies.ts';

/** The server stops before a body is complete: the post is to be sent again. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';
}

/**
 * @param held counts the bytes
 * @throws ApiError 413 above the limit, 415 for an unknown content encoding, 400 for a damaged or incomplete body
 * @param end aborted when the rest of the body is waited for no longer
 * @throws TooManyHeldPostsError when there is no memory for the rest of the body
 * @throws StoppingError when `end` comes first
 */
export async function readBody(
  request: IncomingMessage,
  held: HeldBody,
  limitBytes: number,
  end?: AbortSignal,
): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  const decoder = decoderOf(encoding);
  if (decoder === null && Number(request.headers['content-length']) > limitBytes) throw bodyTooLarge(limitBytes);
  if (request.destroyed) throw incompleteBody();
  const source = decoder === null ? request : request.pipe(decoder);
  const body = createGrowingBuffer(limitBytes);
  let onEnd = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      source.on('data', (chunk: Buffer) => {
        if (body.length + chunk.length > limitBytes) {
          reject(bodyTooLarge(limitBytes));
        } else if (held.add(chunk.length)) {
          body.append(chunk);
        } else {
          // A client that is still sending does not read an answer.
          if (!request.complete) request.destroy();
          reject(new TooManyHeldPostsError('There is no memory for the rest of the body.'));
        }
      });
      source.once('end', resolve);
      decoder?.on('error', () => reject(damagedEncoding(encoding)));
      request.once('error', () => reject(incompleteBody()));
      onEnd = () => reject(new StoppingError('The server stops, and the body is not complete.'));
      if (end?.aborted === true) onEnd();
      else end?.addEventListener('abort', onEnd, { once: true });
    });
  } finally {
    end?.removeEventListener('abort', onEnd);
    decoder?.destroy();
    if (!request.readableEnded) {
      // Discard the rest so that the answer can be sent.
      request.removeAllListeners('data');
      request.unpipe();
      request.resume();
    }
  }
  return body.bytes();
}

function incompleteBody(): Error {
  return unreadableBody('the connection ended before it was complete');
}

/** 8 MiB, which RFC 9659 allows senders. The default lets a few bytes reserve 128 MiB. */
const ZSTD_WINDOW_LOG_MAX = 23;

/** Returns null for a body without encoding. */
function decoderOf(encoding: string): Transform | null {
  switch (encoding) {
    case 'identity':
      return null;
    case 'gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } });
    default:
      throw undecodableBody(`unsupported content encoding "${encoding}"`);
  }
}

/** Copies chunks into one buffer: chunks of one byte each would need a hundred times the memory of the body. */
function createGrowingBuffer(maxBytes: number) {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    append(chunk: Buffer) {
      const needed = length + chunk.length;
      if (needed > buffer.length) {
        // The first chunk is usually the whole body.
        const larger = Buffer.allocUnsafe(length === 0 ? needed : Math.min(maxBytes, 2 * needed));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      chunk.copy(buffer, length);
      length = needed;
    },
    bytes: () => buffer.subarray(0, length),
  };
}
