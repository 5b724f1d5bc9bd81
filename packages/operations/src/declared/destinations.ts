import type { Destination } from '@svc/contract/types';
import { SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import { quoteInput } from '@svc/domain/values/quote-input';
import * as z from 'zod';
import { declare, list, noun, one, notices, flagged } from './declare.ts';
import { id, listFilter, oneOf, parseNames, text, url } from './fields.ts';
import { countOf, declareRemoval } from './removal.ts';
import { renderTable } from './table.ts';

const EVENT_TYPES = Object.keys(SEQUENCER_EVENT_TYPES);

/** The API's resource with its individual bindings. */
export interface AdminDestination extends Destination {
  bindings: { sourceId: number; eventTypes: string[]; isDelayed: boolean }[];
}

const publicUrl = url.meta(flagged('--url <url>', 'an https URL at a public address'));
const description = text(500).meta(flagged('--description <text>', 'description'));

export const addDestination = declare({
  name: 'destinations/add',
  description: 'add a URL; it receives nothing until it is bound to a source',
  details: 'The URL is checked like that of a webhook.',
  example: '--url https://hooks.example.com/events --connection 1',
  permission: 'write',
  input: z.strictObject({
    url: publicUrl,
    connectionId: id.meta(flagged('--connection <id>', 'the connection whose events it may receive')),
    description: description.default(''),
  }),
  result: { destination: one<AdminDestination>(), notices },
  print: ({ destination }) =>
    `Destination ${destination.id} (${destination.url}) is added to connection ${destination.connectionId}. Bind it to a source: svc-server destinations bind ${destination.id} --source ID --event-types EMAIL_REPLY`,
});

export const updateDestination = declare({
  name: 'destinations/update',
  description: 'change the URL or description of a destination',
  details: 'Pending events are forwarded to the new URL.',
  example: '3 --url https://hooks.example.com/new',
  permission: 'write',
  input: z.strictObject({
    id: oneOf('destination'),
    url: publicUrl.optional(),
    description: description.optional(),
  }),
  result: { destination: one<AdminDestination>() },
  print: ({ destination }) => `Destination ${destination.id} (${destination.url}) is changed.`,
});

export const bindDestination = declare({
  name: 'destinations/bind',
  description: 'forward events of a source to a destination, or change an existing binding',
  example: '3 --source 1 --event-types EMAIL_REPLY,EMAIL_SENT --delayed',
  permission: 'write',
  input: z.strictObject({
    destinationId: oneOf('destination'),
    sourceId: id.meta(flagged('--source <id>', 'the source, of the same connection')),
    eventTypes: z
      .array(z.enum(EVENT_TYPES, { error: ({ input }) => unknownEventType(input) }))
      .min(1, `must name at least one event type. Available event types: ${EVENT_TYPES.join(', ')}`)
      .meta(flagged('--event-types <names>', 'event types, separated by commas', { parse: parseNames })),
    isDelayed: z
      .boolean()
      .default(false)
      .meta(flagged('--delayed', 'forward five minutes later, usually after the CRM write')),
  }),
  result: { destination: one<AdminDestination>(), notices },
  print: ({ destination }, { eventTypes, sourceId, isDelayed }) =>
    `Destination ${destination.id} gets ${eventTypes.join(', ')} of source ${sourceId}${isDelayed ? ', delayed' : ''}. It now has ${countOf(destination.bindings.length, 'bindings')}.`,
});

export const unbindDestination = declare({
  name: 'destinations/unbind',
  description: 'stop forwarding events of a source',
  example: '3 --source 1',
  permission: 'write',
  input: z.strictObject({
    destinationId: oneOf('destination'),
    sourceId: id.meta(flagged('--source <id>', 'the source')),
  }),
  result: { destination: one<AdminDestination>() },
  print: ({ destination }, { sourceId }) => `Destination ${destination.id} gets no more events of source ${sourceId}.`,
});

export const listDestinations = declare({
  name: 'destinations/list',
  description: 'list destinations and what they are bound to',
  permission: 'read',
  input: listFilter,
  result: { destinations: list<AdminDestination>() },
  print: ({ destinations: rows }) =>
    renderTable(
      rows,
      {
        ID: 'id',
        CONNECTION: 'connectionId',
        URL: 'url',
        DESCRIPTION: 'description',
        BINDINGS: (row) => row.bindings.map(describeBinding).join('; '),
      },
      'There are no destinations yet: add one with svc-server destinations add.',
    ),
});

export const removeDestination = declareRemoval('destination', 'remove a destination; its deliveries stay');

export const destinations = noun('destinations', 'URLs that received events are forwarded to', [
  addDestination,
  updateDestination,
  bindDestination,
  unbindDestination,
  listDestinations,
  removeDestination,
]);

function describeBinding({ sourceId, eventTypes, isDelayed }: AdminDestination['bindings'][number]): string {
  return `source ${sourceId}: ${eventTypes.join(' ')}${isDelayed ? ' (delayed)' : ''}`;
}

function unknownEventType(value: unknown): string {
  const what = typeof value === 'string' ? `Event type ${quoteInput(value)} is unknown` : 'must be text';
  return `${what}. Available event types: ${EVENT_TYPES.join(', ')}`;
}
