import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './processes.ts';

export interface DemoPayload {
  platform: string;
  headers: Record<string, string>;
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
  const folder = join(root, 'fixtures', 'payloads');
  const { vectors }: { vectors: PayloadVector[] } = JSON.parse(readFileSync(join(folder, 'vectors.json'), 'utf8'));
  const seen = new Set<string>();
  return vectors.flatMap((vector) => {
    if (vector.kind !== 'ordinary' || vector.expect.outcome !== 'events' || !(vector.platform in INBOUND_PATHS))
      return [];
    const { events } = vector.expect;
    const identities = events.map((event) => `${event.eventType} ${event.toEmail} ${event.messageId ?? vector.file}`);
    if (identities.some((identity) => seen.has(identity))) return [];
    for (const identity of identities) seen.add(identity);
    const body = readFileSync(join(folder, vector.file), 'utf8');
    return [{ platform: vector.platform, headers: vector.headers ?? {}, body, eventCount: events.length }];
  });
}

interface PayloadVector {
  platform: string;
  file: string;
  kind: 'ordinary' | 'odd';
  headers?: Record<string, string>;
  expect:
    | { outcome: 'events'; events: { eventType: string; toEmail: string; messageId: string | null }[] }
    | { outcome: 'ignored' | 'unparsed' };
}
