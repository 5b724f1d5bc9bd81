import type { EventMapping } from '@svc/domain/mappings/event-mapping';
import { isJsonObject } from './json-fields.ts';
import { type AdapterCoverage, findSequencer } from './platforms.ts';
import { readMappedItem, readMappedItems } from './read-mapped.ts';
import { toBodyRoots } from './read-path.ts';
import type { InboundEvent, ItemResult, NormalizeInput, NormalizeResult, SequencerAdapter } from './types.ts';

export { BLANK_CONTACT } from './blank-event.ts';
export { hashBody } from './event-key.ts';
export { createPayloadReader, type PayloadReader } from './payload-value.ts';
export type { AdapterCoverage } from './platforms.ts';
export type { InboundEvent, NormalizeInput, NormalizeResult } from './types.ts';

/** Returns how much of a platform this release reads; null when it has no adapter. */
export function adapterCoverage(platform: string): AdapterCoverage | null {
  return findSequencer(platform)?.coverage ?? null;
}

/** How the payloads of a source are read. */
export interface SourceReader {
  /** The source's platform in lower case. */
  readonly platform: string;
  /**
   * Reads what the platform's adapter does not understand, or everything when there is no adapter. The adapter comes first,
   * so that the events that it reads keep their keys.
   */
  readonly mapping: EventMapping | null;
}

/** Maximum items of one body. */
const ITEMS_MAX = 1_000;
/** Maximum characters of the texts and links of a body's mapped events: `$` paths repeat a text of the body in each of them. */
const MAPPED_TEXT_MAX = 10_000_000;

/**
 * Turns one inbound body into events. Pure, and never throws for a JSON value. Without an adapter and a mapping it is
 * `unparsed`, so that its receipts can be read later.
 */
export function normalize(reader: SourceReader, input: NormalizeInput): NormalizeResult {
  const { mapping } = reader;
  const sequencer = findSequencer(reader.platform);
  const adapted = sequencer === null ? NO_ADAPTER : readWith(sequencer.parse, input);
  return mapping === null || adapted.outcome !== 'unparsed' ? adapted : readMapped(mapping, input);
}

const NO_ADAPTER: NormalizeResult = { outcome: 'unparsed', reason: 'no adapter for this platform, and no mapping' };

function readWith(parse: SequencerAdapter, { body, headers, bodyHash }: NormalizeInput): NormalizeResult {
  return readItems(Array.isArray(body) ? body : [body], (item, index) =>
    isJsonObject(item) ? parse(item, { headers, bodyHash, index }) : NOT_AN_OBJECT,
  );
}

function readMapped(mapping: EventMapping, input: NormalizeInput): NormalizeResult {
  const { body, headers, bodyHash } = input;
  const roots = toBodyRoots(input);
  const items = readMappedItems(mapping, roots, ITEMS_MAX + 1);
  if (items.length === 0 && !isEmpty(body)) return NO_ITEMS;
  return readItems(
    items,
    (item, index) => readMappedItem(mapping, item, roots, { headers, bodyHash, index }),
    MAPPED_TEXT_MAX,
  );
}

const NO_ITEMS: NormalizeResult = { outcome: 'unparsed', reason: 'nothing where the mapping looks for items' };

function readItems(
  items: readonly unknown[],
  read: (item: unknown, index: number) => ItemResult,
  textMax = Infinity,
): NormalizeResult {
  if (items.length > ITEMS_MAX) return { outcome: 'unparsed', reason: `more than ${ITEMS_MAX} items in one body` };
  if (items.every(isEmpty)) return { outcome: 'ignored', reason: 'empty body' };
  const results: ItemResult[] = [];
  let textLength = 0;
  for (const [index, item] of items.entries()) {
    const result = read(item, index);
    if (result.outcome === 'event') textLength += textLengthOf(result.event);
    if (textLength > textMax)
      return { outcome: 'unparsed', reason: `more than ${textMax} characters in the events of one body` };
    results.push(result);
  }
  return collect(results);
}

function textLengthOf({ bodyHtml, bodyText, linkUrls, contact: { custom, tags } }: InboundEvent): number {
  const lead = Object.entries(custom).flat().join('').length + tags.join('').length;
  return (bodyHtml?.length ?? 0) + (bodyText?.length ?? 0) + linkUrls.join('').length + lead;
}

/** The fields of a sync that identify its event. */
export interface EventLabels {
  readonly eventType: string;
  readonly toEmail: string;
}

/** Finds the event of a sync in a stored body; null when the body no longer gives it. */
export function findEvent(reader: SourceReader, input: NormalizeInput, labels: EventLabels): InboundEvent | null {
  const result = normalize(reader, input);
  if (result.outcome !== 'events') return null;
  const toEmail = labels.toEmail.toLowerCase();
  return result.events.find((event) => event.eventType === labels.eventType && event.toEmail === toEmail) ?? null;
}

const NOT_AN_OBJECT: ItemResult = { outcome: 'unparsed', reason: 'not a JSON object' };

/** Some platforms send `{}` to test a URL. */
function isEmpty(item: unknown): boolean {
  return isJsonObject(item) && Object.keys(item).length === 0;
}

/** How many notices of a body are kept. */
const NOTICES_MAX = 5;

function collect(results: readonly ItemResult[]): NormalizeResult {
  const events = new Map<string, InboundEvent>();
  const notices = new Set<string>();
  for (const result of results) {
    if (result.outcome !== 'event') continue;
    for (const notice of result.notices ?? []) notices.add(notice);
    if (!events.has(result.event.eventKey)) events.set(result.event.eventKey, result.event);
  }
  const unparsed = results.filter((result) => result.outcome === 'unparsed');
  if (events.size > 0) {
    if (unparsed.length > 0)
      notices.add(`${unparsed.length} of ${results.length} items were not read: ${unparsed[0]?.reason}.`);
    const kept = [...notices].slice(0, NOTICES_MAX);
    return { outcome: 'events', events: [...events.values()], skipped: results.length - events.size, notices: kept };
  }
  if (unparsed[0] !== undefined) return unparsed[0];
  const ignored = results.find((result) => result.outcome === 'ignored');
  return ignored?.outcome === 'ignored' ? ignored : { outcome: 'ignored', reason: 'empty body' };
}
