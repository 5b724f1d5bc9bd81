/**
 * Limits the memory for bodies of inbound posts, from their first byte to the answer. One source may use a quarter of
 * the bytes and of the unfinished posts; an account with several sources may use more.
 *
 * Only bytes that have arrived count, after decompression: an announced length uses no memory.
 */

/** Bytes of received bodies without an answer yet; beyond it new posts are refused. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;
/** Posts whose body has begun but not ended. Each uses memory for its connection and decompression. */
const UNFINISHED_MAX = 1_000;
/** The share of both limits that one source may use. */
const SOURCE_SHARE = 1 / 4;

/** Too many posts are waiting in this process; sequencers should retry later. */
export class TooManyWaitingError extends Error {
  override readonly name = 'TooManyWaitingError';
}

export interface HeldBody {
  /** Counts bytes that have arrived. Returns false when there is no memory for them and the post must be aborted. */
  add(bytes: number): boolean;
  /** Call when the body is complete or will not be read further. */
  finish: () => void;
  /** Call once when the bytes are no longer needed. */
  release(): void;
}

export interface HeldBodies {
  /** @throws TooManyWaitingError when there is no room for another post to this path */
  begin(path: string): HeldBody;
}

interface Amount {
  bytes: number;
  unfinished: number;
}

/**
 * @param options.bodyLimitBytes largest body; every source has room for at least one
 * @param options.heldBytesMax default 64 MiB. At twice this limit, posts that are still arriving are aborted
 */
export function createHeldBodies(options: { bodyLimitBytes: number; heldBytesMax?: number | undefined }): HeldBodies {
  const bytesMax = options.heldBytesMax ?? HELD_BYTES_MAX;
  const all: Amount = { bytes: 0, unfinished: 0 };
  const bySource = new Map<string, { amount: Amount; posts: number }>();
  const limits = { bytes: bytesMax, unfinished: UNFINISHED_MAX };
  const sourceLimits = {
    bytes: Math.max(options.bodyLimitBytes, bytesMax * SOURCE_SHARE),
    unfinished: UNFINISHED_MAX * SOURCE_SHARE,
  };

  return {
    begin(path) {
      const source = bySource.get(path) ?? { amount: { bytes: 0, unfinished: 0 }, posts: 0 };
      if (isFull(all, limits) || isFull(source.amount, sourceLimits)) {
        throw new TooManyWaitingError('Too many posts are held already.');
      }
      const amounts = [all, source.amount];
      bySource.set(path, source);
      source.posts += 1;
      for (const amount of amounts) amount.unfinished += 1;
      let held = 0;
      let isFinished = false;
      const finish = () => {
        if (isFinished) return;
        isFinished = true;
        for (const amount of amounts) amount.unfinished -= 1;
      };
      return {
        add(bytes) {
          held += bytes;
          for (const amount of amounts) amount.bytes += bytes;
          return all.bytes <= 2 * limits.bytes && source.amount.bytes <= 2 * sourceLimits.bytes;
        },
        finish,
        release() {
          finish();
          for (const amount of amounts) amount.bytes -= held;
          source.posts -= 1;
          if (source.posts === 0) bySource.delete(path);
        },
      };
    },
  };
}

function isFull(amount: Amount, limits: Amount): boolean {
  return amount.bytes >= limits.bytes || amount.unfinished >= limits.unfinished;
}
