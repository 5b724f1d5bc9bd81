import type { Platform } from '@svc/contract/vocabulary';
import { isJsonObject } from './json-fields.ts';
import { parseInstantly } from './instantly.ts';
import { parseSmartlead } from './smartlead.ts';
import type { InboundEvent, ItemResult, NormalizeInput, NormalizeResult, SequencerAdapter } from './types.ts';

export { hashBody } from './event-key.ts';
export type { InboundEvent, NormalizeInput, NormalizeResult } from './types.ts';

const ADAPTERS: ReadonlyMap<string, SequencerAdapter> = new Map<Platform, SequencerAdapter>([
  ['smartlead', parseSmartlead],
  ['instantly', parseInstantly],
]);

/** Whether this release reads the events of a platform. */
export function canNormalize(platform: string): boolean {
  return ADAPTERS.has(platform);
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
  const parse = ADAPTERS.get(platform);
  if (parse === undefined) return { outcome: 'unparsed', reason: 'no adapter for this platform' };
  const { body, headers, bodyHash } = input;
  const items: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (items.length > ITEMS_MAX) return { outcome: 'unparsed', reason: `more than ${ITEMS_MAX} items in one body` };
  if (items.every(isEmpty)) return { outcome: 'ignored', reason: 'empty body' };
  return collect(
    items.map((item, index) => (isJsonObject(item) ? parse(item, { headers, bodyHash, index }) : NOT_AN_OBJECT)),
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
