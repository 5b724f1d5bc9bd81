/** `stale`: genuine, but its time differs too much from the clock. */
export type Authenticity = 'ok' | 'missing' | 'wrong' | 'stale';

export interface ReceivedPost {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** As received, after decompression. */
  readonly body: Uint8Array;
  /** The parsed body. */
  readonly json: unknown;
}
