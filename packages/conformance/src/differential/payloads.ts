/** Payloads of sequencers from the fixtures, with the event that an adapter reads from each. */
import { readFileSync } from 'node:fs';

export interface Payload {
  readonly text: string;
  /** The first event; null when there is none. */
  readonly event: { readonly eventType: string; readonly toEmail: string } | null;
}

interface Vector {
  readonly platform: string;
  readonly file: string;
  readonly expect: { readonly events?: readonly NonNullable<Payload['event']>[] };
}

const FOLDER = new URL('../../../../fixtures/payloads/', import.meta.url);
const { vectors }: { vectors: readonly Vector[] } = JSON.parse(readFileSync(new URL('vectors.json', FOLDER), 'utf8'));

/** Payloads by platform. */
export const PAYLOADS: ReadonlyMap<string, readonly Payload[]> = Map.groupBy(
  vectors.map(({ platform, file, expect }) => ({
    platform,
    text: readFileSync(new URL(file, FOLDER), 'utf8'),
    event: expect.events?.[0] ?? null,
  })),
  ({ platform }) => platform,
);

/** Returns the payloads of a platform, or Smartlead's for a platform without an adapter. */
export function payloadsOf(platform: string): readonly Payload[] {
  return PAYLOADS.get(platform) ?? PAYLOADS.get('smartlead') ?? [];
}
