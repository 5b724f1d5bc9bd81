/** Reads the body of a post as it arrives, decompressed, so that it is known at every moment how much memory it takes. */
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { bodyTooLarge, damagedEncoding, undecodableBody, unreadableBody } from '@svc/domain/errors/errors';
import { type HeldBody, TooManyWaitingError } from './held-bodies.ts';

/**
 * @param held where the bytes are counted
 * @throws ApiError 413 above the limit, 415 for an unknown content encoding, 400 for a body that is damaged or not complete
 * @throws TooManyWaitingError when there is no memory for the rest of the body
 */
export async function readBody(request: IncomingMessage, held: HeldBody, limitBytes: number): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  const decoder = decoderOf(encoding);
  if (decoder === null && Number(request.headers['content-length']) > limitBytes) throw bodyTooLarge(limitBytes);
  if (request.destroyed) throw incomplete();
  const source = decoder === null ? request : request.pipe(decoder);
  const body = createGrowingBuffer(limitBytes);
  try {
    await new Promise<void>((resolve, reject) => {
      source.on('data', (chunk: Buffer) => {
        if (body.length + chunk.length > limitBytes) {
          reject(bodyTooLarge(limitBytes));
        } else if (held.add(chunk.length)) {
          body.append(chunk);
        } else {
          // No answer is read by a client that is still sending.
          if (!request.complete) request.destroy();
          reject(new TooManyWaitingError('There is no memory for the rest of the body.'));
        }
      });
      source.once('end', resolve);
      decoder?.on('error', () => reject(damagedEncoding(encoding)));
      request.once('error', () => reject(incomplete()));
    });
  } finally {
    decoder?.destroy();
    if (!request.readableEnded) {
      // What is still to come is dropped, so that the answer can be sent.
      request.removeAllListeners('data');
      request.unpipe();
      request.resume();
    }
  }
  return body.bytes();
}

function incomplete(): Error {
  return unreadableBody('the connection ended before it was complete');
}

/** Null for a body that is sent as it is. */
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
      return createZstdDecompress();
    default:
      throw undecodableBody(`unsupported content encoding "${encoding}"`);
  }
}

/** Copies what it is given: of a body in chunks of one byte, the chunks would take a hundred times its memory. */
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
        // The first chunk is most often the whole body.
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
