import { readPayloads } from '../fixtures/payloads.ts';

export interface DemoPayload {
  platform: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  eventCount: number;
}

/** The demo's sources, by platform. */
export const INBOUND_PATHS: Readonly<Record<string, string>> = {
  smartlead: 'demo-smartlead',
  instantly: 'demo-instantly',
};

/** The ordinary payloads of the two platforms. Where several report the same event, the first: the others would be duplicates. */
export function readDemoPayloads(): DemoPayload[] {
  const seen = new Set<string>();
  return readPayloads().flatMap(({ platform, name, kind, headers, text, expect: { events = [] } }) => {
    if (kind !== 'ordinary' || events.length === 0 || !(platform in INBOUND_PATHS)) return [];
    const identities = events.map((event) => `${event.eventType} ${event.toEmail} ${event.messageId ?? name}`);
    if (identities.some((identity) => seen.has(identity))) return [];
    for (const identity of identities) seen.add(identity);
    return [{ platform, headers, body: text, eventCount: events.length }];
  });
}
