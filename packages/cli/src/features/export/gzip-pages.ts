import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

const pack = promisify(deflateRaw);

/** Header without time, name and system, so that the same rows give the same bytes. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** The empty last block of a deflate stream. */
const LAST_BLOCK = Buffer.from([3, 0]);

export interface GzipState {
  readonly crc: number;
  readonly size: number;
}

/**
 * A gzip member that is written in independent pieces, each ending at a byte boundary ("full flush"). After any piece,
 * another process can continue from `state` and produce the same bytes.
 */
export interface GzipPages {
  readonly state: GzipState;
  encode(piece: Buffer): Promise<Buffer>;
  end(): Buffer;
}

/** @param from state after the last piece; null at the start */
export function createGzipPages(from: GzipState | null): GzipPages {
  let state = from ?? { crc: 0, size: 0 };
  let hasStarted = from !== null;
  const begin = () => {
    const header = hasStarted ? [] : [HEADER];
    hasStarted = true;
    return header;
  };
  return {
    get state() {
      return state;
    },
    async encode(piece) {
      state = { crc: crc32(piece, state.crc), size: state.size + piece.length };
      return Buffer.concat([...begin(), await pack(piece, { finishFlush: constants.Z_FULL_FLUSH })]);
    },
    end() {
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(state.crc, 0);
      trailer.writeUInt32LE(state.size % 2 ** 32, 4);
      return Buffer.concat([...begin(), LAST_BLOCK, trailer]);
    },
  };
}
