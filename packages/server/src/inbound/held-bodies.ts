/**
 * How much memory the bodies of inbound posts may take, from their first byte to the answer. Nobody gets it all: a single source
 * may have a quarter of the bytes and of the unfinished posts. The share is per source: an account with several may have more.
 *
 * What counts are bytes that have arrived, decompressed: a length that is merely announced takes no memory, and must not take
 * anybody's place.
 */

/** Bytes of bodies that have arrived and are not answered yet: from then on new posts are put off. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;
/** Posts whose body has begun and not ended: each takes memory for its connection and for what decompresses it. */
const UNFINISHED_MAX = 1_000;
/** A source may have this part of both. */
const SOURCE_SHARE = 1 / 4;

/** More posts wait than this process may hold: sequencers are asked to send again later. */
export class TooManyWaitingError extends Error {
  override readonly name = 'TooManyWaitingError';
}

export interface HeldBody {
  /** Counts bytes that have arrived. Returns false when there is no memory for them: the post is to be broken off. */
  add(bytes: number): boolean;
  /** The body is complete, or will not be read further. */
  finish: () => void;
  /** The bytes are no longer needed. Called once. */
  release(): void;
}

export interface HeldBodies {
  /** @throws TooManyWaitingError when there is no room for one more post to this path */
  begin(path: string): HeldBody;
}

interface Amount {
  bytes: number;
  unfinished: number;
}

/**
 * @param options.bodyLimitBytes largest body: every source has room for one
 * @param options.heldBytesMax default 64 MiB. At twice as much, posts that are still arriving are broken off
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
