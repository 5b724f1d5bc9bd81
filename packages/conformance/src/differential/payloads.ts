/** Payloads of sequencers from the fixtures, with the event that an adapter reads from each. */
import { readPayloads } from '../../../../fixtures/payloads.ts';

export interface Payload {
  readonly text: string;
  /** The first event; null when there is none. */
  readonly event: { readonly eventType: string; readonly toEmail: string } | null;
}

/** Payloads by platform. */
export const PAYLOADS: ReadonlyMap<string, readonly Payload[]> = Map.groupBy(
  readPayloads()
    .filter(({ kind }) => kind !== 'published')
    .map(({ platform, text, expect }) => ({ platform, text, event: expect.events?.[0] ?? null })),
  ({ platform }) => platform,
);

/** Returns the payloads of a platform, or Smartlead's for a platform without an adapter. */
export function payloadsOf(platform: string): readonly Payload[] {
  return PAYLOADS.get(platform) ?? PAYLOADS.get('smartlead') ?? [];
}
