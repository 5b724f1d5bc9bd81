/** Mappings: how a source reads the payloads of a platform without an adapter (docs/sequencers/any-other.md). */
import { type EventMapping, eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { INBOUND_BODY_BYTES_MAX } from '@svc/domain/syncs/inbound-post';
import type { MappingVersion } from '@svc/engine/store/source-mappings';
import type { MappingProposal, PayloadReading, SeenEventName } from '@svc/sequencers/mapping-tools';
import * as z from 'zod';
import { declare, list, one, notices, flagged } from './declare.ts';
import { collect, id } from './fields.ts';
import { renderTable } from './table.ts';

const sourceId = id.meta(flagged('--source <id>', 'the source, as sources list shows it'));

export const proposeMapping = declare({
  name: 'sources/map',
  description: 'propose a mapping from the requests that a source received',
  details: 'See [any other sequencer](../../docs/sequencers/any-other.md).',
  example: '--source 7 --out my-dialer.json',
  permission: 'read',
  input: z.strictObject({ sourceId }),
  result: {
    mapping: one<EventMapping>(),
    itemCount: one<number>(),
    requestCount: one<number>(),
    places: list<MappingProposal['places'][number]>(),
    eventNames: list<MappingProposal['eventNames'][number]>(),
    unused: list<MappingProposal['unused'][number]>(),
    warnings: list<string>(),
    /** What the mapping lacks to be complete. */
    missing: list<string>(),
  },
});

const payload = z.string('must be text').max(INBOUND_BODY_BYTES_MAX, 'is too large');

type TriedEvent = Extract<PayloadReading['result'], { outcome: 'events' }>['events'][number];

/** Stored requests of which the same would be read. */
export interface TriedRequests {
  outcome: PayloadReading['result']['outcome'];
  /** The types of the events, or why there is none. */
  what: string;
  count: number;
  lastId: number;
}

export const tryMapping = declare({
  name: 'sources/try',
  description: 'show field by field what would be read from a payload; stores nothing',
  details:
    'It also counts what would be read from the newest requests of the source, and warns of what they have in common with the payload.',
  example: '--source 7 --payload event.json --mapping my-dialer.json',
  permission: 'read',
  input: z.strictObject({
    sourceId,
    requestId: id.meta(flagged('--request <id>', 'a request that the source received, without its secrets')).optional(),
    payload: payload
      .meta(flagged('--payload <file>', 'a payload as the sequencer posts it', { file: 'text' }))
      .optional(),
    /** Their events are compared with those of the first payload. */
    compare: z
      .array(payload)
      .max(20, 'must be at most 20 payloads')
      .default([])
      .meta(
        flagged('--compare <file>', 'another payload, to see whether both have events of their own; repeatable', {
          file: 'text',
          parse: collect,
        }),
      ),
    mapping: eventMappingSchema
      .nullable()
      .default(null)
      .meta(flagged('--mapping <file>', "a mapping to try instead of the source's own", { file: 'json' })),
    /** Names in lower case. */
    headers: z
      .record(z.string(), z.string())
      .default({})
      .meta(flagged('--header <name: value>', 'a header of the request; repeatable', { parse: addHeader })),
  }),
  result: {
    outcome: one<PayloadReading['result']['outcome']>(),
    reason: one<string | null>(),
    /** `ready mapping`: that of the platform, because the source has none of its own. */
    readBy: one<PayloadReading['readBy'] | 'ready mapping'>(),
    events: list<TriedEvent>(),
    items: list<PayloadReading['items'][number]>(),
    warnings: list<string>(),
    /** The newest stored requests, up to 200 with 2 MiB, by what would be read from them. */
    requests: list<TriedRequests>(),
    /** Event names that the mapping finds in them and in the payload. */
    eventNames: list<SeenEventName>(),
  },
  print: ({ outcome, reason, readBy, events, items, warnings, requests }) => {
    const head =
      outcome === 'events'
        ? events.map((event) => `${event.eventType} of ${event.toEmail} (read by the ${readBy ?? 'adapter'})`)
        : [`${outcome}: ${reason}`];
    const details = items.flatMap(({ fields, unread }, index) => [
      '',
      ...(items.length > 1 ? [`Item ${index + 1}`] : []),
      renderTable(
        fields,
        { FIELD: 'field', FROM: (row) => row.path ?? 'constant', VALUE: 'value' },
        'No field was read.',
      ),
      '',
      renderTable(unread, { 'NOT READ': 'path', VALUE: 'value' }, 'Everything was read.'),
    ]);
    return [
      ...head,
      ...warnings.map((warning) => `Warning: ${warning}`),
      ...(readBy === 'adapter' ? events.map((event) => JSON.stringify(event, null, 2)) : details),
      ...(requests.length === 0
        ? []
        : ['', renderTable(requests, { 'NEWEST REQUESTS': 'count', OUTCOME: 'outcome', EVENTS: 'what' }, '')]),
    ].join('\n');
  },
});

export const setMapping = declare({
  name: 'sources/set-mapping',
  description: 'set how payloads of a platform without an adapter are read',
  details: 'It makes a new version of the mapping, or removes the mapping.',
  example: '--source 7 --mapping my-dialer.json',
  permission: 'write',
  input: z.strictObject({ sourceId, mapping: eventMappingSchema.nullable() }),
  result: { sourceId: one<number>(), version: one<number>(), notices },
  print: (result, { mapping }) =>
    mapping === null
      ? `Source ${result.sourceId} has no mapping from now on (version ${result.version}).`
      : `Source ${result.sourceId} reads its payloads with version ${result.version} of its mapping.`,
});

export const listMappings = declare({
  name: 'sources/mappings',
  description: 'show the mapping of a source, and when it changed',
  example: '--source 7 --show 2',
  permission: 'read',
  input: z.strictObject({ sourceId }),
  result: {
    versions: list<MappingVersion>(),
    /** The ready mapping of the platform, which reads while the source has none of its own; null when there is none. */
    ready: one<EventMapping | null>(),
  },
});

function addHeader(text: string, earlier: unknown): object {
  const [field = '', ...value] = text.split(':');
  if (field.trim() === '' || value.length === 0) throw new Error('It must be a name, a colon and a value.');
  const others = typeof earlier === 'object' ? earlier : {};
  return { ...others, [field.trim().toLowerCase()]: value.join(':').trim() };
}
