import { createBrotliDecompress, createZstdDecompress } from 'node:zlib';
import type { Decompress } from '../content-encoding.ts';

/** What the web platform has no streams for, Node has. */
export const decompress: Decompress = (encoding, body) => {
  const stream = encoding === 'br' ? createBrotliDecompress() : createZstdDecompress();
  stream.end(body);
  return stream;
};
