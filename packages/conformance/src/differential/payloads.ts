/** What sequencers send, from the fixtures, with the event that an adapter reads from it. */
import { readFileSync } from 'node:fs';

export interface Payload {
  /** As it is posted. */
  readonly text: string;
  /** The first one; null when there is none. */
  readonly event: { readonly eventType: string; readonly toEmail: string } | null;
}

interface Vector {
  readonly platform: string;
  readonly file: string;
  readonly expect: { readonly events?: readonly NonNullable<Payload['event']>[] };
}

const FOLDER = new URL('../../../../fixtures/payloads/', import.meta.url);
const { vectors }: { vectors: readonly Vector[] } = JSON.parse(readFileSync(new URL('vectors.json', FOLDER), 'utf8'));

/** By platform: those whose payloads this release reads. */
export const PAYLOADS: ReadonlyMap<string, readonly Payload[]> = Map.groupBy(
  vectors.map(({ platform, file, expect }) => ({
    platform,
    text: readFileSync(new URL(file, FOLDER), 'utf8'),
    event: expect.events?.[0] ?? null,
  })),
  ({ platform }) => platform,
);

/** Of one platform; of any other than those that are read, it is one of Smartlead's. */
export function payloadsOf(platform: string): readonly Payload[] {
  return PAYLOADS.get(platform) ?? PAYLOADS.get('smartlead') ?? [];
}
