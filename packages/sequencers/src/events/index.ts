import type { Platform } from '@svc/contract/vocabulary';
import { isJsonObject } from './json-fields.ts';
import { parseEmailbison } from './emailbison.ts';
import { parseInstantly } from './instantly.ts';
import { parseLemlist } from './lemlist.ts';
import { parseSmartlead } from './smartlead.ts';
import type { InboundEvent, ItemResult, NormalizeInput, NormalizeResult, SequencerAdapter } from './types.ts';

export { hashBody } from './event-key.ts';
export type { InboundEvent, NormalizeInput, NormalizeResult } from './types.ts';

/** How much of a platform an adapter reads: every event that is documented, or only some because the others are not. */
export type AdapterCoverage = 'full' | 'partial';

interface Adapter {
  readonly parse: SequencerAdapter;
  readonly coverage: AdapterCoverage;
}

const ADAPTERS: ReadonlyMap<string, Adapter> = new Map<Platform, Adapter>([
  ['smartlead', { parse: parseSmartlead, coverage: 'full' }],
  ['instantly', { parse: parseInstantly, coverage: 'full' }],
  ['emailbison', { parse: parseEmailbison, coverage: 'full' }],
  ['lemlist', { parse: parseLemlist, coverage: 'full' }],
]);

/** Returns how much of a platform this release reads; null when it has no adapter. */
export function adapterCoverage(platform: string): AdapterCoverage | null {
  return ADAPTERS.get(platform)?.coverage ?? null;
}

/** Maximum items of one body. No known platform sends batches. */
const ITEMS_MAX = 1_000;

/**
 * Turns one inbound body into events. Pure, and never throws for a JSON value. An unknown platform is `unparsed`, so that its
 * receipts can be read once an adapter exists.
 *
 * @param platform the source's platform in lower case
 */
export function normalize(platform: string, input: NormalizeInput): NormalizeResult {
  const adapter = ADAPTERS.get(platform);
  if (adapter === undefined) return { outcome: 'unparsed', reason: 'no adapter for this platform' };
  const { body, headers, bodyHash } = input;
  const items: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (items.length > ITEMS_MAX) return { outcome: 'unparsed', reason: `more than ${ITEMS_MAX} items in one body` };
  if (items.every(isEmpty)) return { outcome: 'ignored', reason: 'empty body' };
  return collect(
    items.map((item, index) =>
      isJsonObject(item) ? adapter.parse(item, { headers, bodyHash, index }) : NOT_AN_OBJECT,
    ),
  );
}

/** The fields of a sync that identify its event. */
export interface EventLabels {
  readonly eventType: string;
  readonly toEmail: string;
}

/** Finds the event of a sync in a stored body; null when the body no longer gives it. */
export function findEvent(platform: string, input: NormalizeInput, labels: EventLabels): InboundEvent | null {
  const result = normalize(platform, input);
  if (result.outcome !== 'events') return null;
  const toEmail = labels.toEmail.toLowerCase();
  return result.events.find((event) => event.eventType === labels.eventType && event.toEmail === toEmail) ?? null;
}

const NOT_AN_OBJECT: ItemResult = { outcome: 'unparsed', reason: 'not a JSON object' };

/** Some platforms send `{}` to test a URL. */
function isEmpty(item: unknown): boolean {
  return isJsonObject(item) && Object.keys(item).length === 0;
}

function collect(results: readonly ItemResult[]): NormalizeResult {
  const events = new Map<string, InboundEvent>();
  for (const result of results) {
    if (result.outcome === 'event' && !events.has(result.event.eventKey))
      events.set(result.event.eventKey, result.event);
  }
  if (events.size > 0)
    return { outcome: 'events', events: [...events.values()], skipped: results.length - events.size };
  const unparsed = results.find((result) => result.outcome === 'unparsed');
  if (unparsed?.outcome === 'unparsed') return unparsed;
  const ignored = results.find((result) => result.outcome === 'ignored');
  return ignored?.outcome === 'ignored' ? ignored : { outcome: 'ignored', reason: 'empty body' };
}
