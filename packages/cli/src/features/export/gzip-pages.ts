import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

const pack = promisify(deflateRaw);

/** Deflate, no time and no name, an unknown system: the same bytes for the same rows. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** The last block of a deflate stream, with nothing in it. */
const LAST_BLOCK = Buffer.from([3, 0]);

export interface GzipState {
  readonly crc: number;
  readonly size: number;
}

/**
 * One gzip member that is made in pieces, each packed by itself and ended at a byte (a "full flush"): so it can be cut after any
 * piece and gone on with later, by another process, to the same bytes as in one go. What is kept is in `state`.
 */
export interface GzipPages {
  readonly state: GzipState;
  encode(piece: Buffer): Promise<Buffer>;
  end(): Buffer;
}

/** @param from state behind the last piece; null at the start */
export function createGzipPages(from: GzipState | null): GzipPages {
  let state = from ?? { crc: 0, size: 0 };
  let isBegun = from !== null;
  const begin = () => {
    const header = isBegun ? [] : [HEADER];
    isBegun = true;
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
