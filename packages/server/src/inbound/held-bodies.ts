/**
 * Limits the memory for bodies of inbound posts. A post is "receiving" until its body is complete, and "held" until it
 * is answered. One source may use a quarter of the held bytes and of the receiving posts; an account with several
 * sources may use more.
 *
 * Only bytes that have arrived count, after decompression: an announced length uses no memory.
 */

/** Bytes of all held posts. At this limit new posts are refused. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;
/** Posts that are receiving. Each uses memory for its connection and decompression. */
const RECEIVING_MAX = 1_000;
/** The share of both limits that one source may use. */
const SOURCE_SHARE = 1 / 4;

/** This process holds too many posts; sequencers should retry later. */
export class TooManyHeldPostsError extends Error {
  override readonly name = 'TooManyHeldPostsError';
}

export interface HeldBody {
  /** Counts bytes that have arrived. Returns false when there is no memory for them and the post must be aborted. */
  add(bytes: number): boolean;
  /** Call when the body is complete or will not be read further. */
  finish: () => void;
  /** Call once when the post is answered: frees its bytes. Also finishes a body that was still receiving. */
  release(): void;
}

export interface HeldBodies {
  /** @throws TooManyHeldPostsError when there is no room for another post to this path */
  begin(path: string): HeldBody;
}

interface Amount {
  bytes: number;
  receiving: number;
}

/**
 * @param options.bodyLimitBytes largest body; every source has room for at least one
 * @param options.heldBytesMax default 64 MiB. New posts are refused at the limit; posts already receiving are aborted
 *   at twice the limit
 */
export function createHeldBodies(options: { bodyLimitBytes: number; heldBytesMax?: number | undefined }): HeldBodies {
  const bytesMax = options.heldBytesMax ?? HELD_BYTES_MAX;
  const all: Amount = { bytes: 0, receiving: 0 };
  const bySource = new Map<string, { amount: Amount; posts: number }>();
  const limits = { bytes: bytesMax, receiving: RECEIVING_MAX };
  const sourceLimits = {
    bytes: Math.max(options.bodyLimitBytes, bytesMax * SOURCE_SHARE),
    receiving: RECEIVING_MAX * SOURCE_SHARE,
  };

  return {
    begin(path) {
      const source = bySource.get(path) ?? { amount: { bytes: 0, receiving: 0 }, posts: 0 };
      if (isFull(all, limits) || isFull(source.amount, sourceLimits)) {
        throw new TooManyHeldPostsError('Too many posts are held already.');
      }
      const amounts = [all, source.amount];
      bySource.set(path, source);
      source.posts += 1;
      for (const amount of amounts) amount.receiving += 1;
      let heldBytes = 0;
      let isFinished = false;
      const finish = () => {
        if (isFinished) return;
        isFinished = true;
        for (const amount of amounts) amount.receiving -= 1;
      };
      return {
        add(bytes) {
          heldBytes += bytes;
          for (const amount of amounts) amount.bytes += bytes;
          return all.bytes <= 2 * limits.bytes && source.amount.bytes <= 2 * sourceLimits.bytes;
        },
        finish,
        release() {
          finish();
          for (const amount of amounts) amount.bytes -= heldBytes;
          source.posts -= 1;
          if (source.posts === 0) bySource.delete(path);
        },
      };
    },
  };
}

function isFull(amount: Amount, limits: Amount): boolean {
  return amount.bytes >= limits.bytes || amount.receiving >= limits.receiving;
}
