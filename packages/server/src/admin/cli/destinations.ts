import type { Command } from 'commander';
import type { AdminDestination } from '@svc/operations/work/destinations';
import { type AdminOptions, parseId, parseNames } from './options.ts';
import { defineRemove, defineVerb, type ListOptions, withListFilter } from './define.ts';
import { countOf } from '@svc/operations/work/removal-text';
import { runAdmin } from './run.ts';
import { renderTable } from './table.ts';

export function defineDestinations(program: Command): void {
  const destinations = program.command('destinations').description('URLs that received events are forwarded to');

  defineVerb(
    destinations,
    'add',
    'add a URL; it receives nothing until it is bound to a source',
    'destinations add --url https://hooks.example.com/events --connection 1',
  )
    .requiredOption('--url <url>', 'an https URL at a public address')
    .requiredOption('--connection <id>', 'the connection whose events it may receive', parseId)
    .option('--description <text>', 'description', '')
    .action(async (options: AdminOptions & { url: string; connection: number; description: string }) => {
      const input = { connectionId: options.connection, url: options.url, description: options.description };
      await runAdmin('destinations/add', input, options, ({ destination }) => ({
        text: `Destination ${destination.id} (${destination.url}) is added to connection ${destination.connectionId}. Bind it to a source: svc-server destinations bind ${destination.id} --source ID --event-types EMAIL_REPLY`,
      }));
    });

  defineVerb(
    destinations,
    'update',
    'change the URL or description of a destination',
    'destinations update 3 --url https://hooks.example.com/new',
  )
    .argument('<id>', 'the destination, as destinations list shows it', parseId)
    .option('--url <url>', 'an https URL at a public address')
    .option('--description <text>', 'description')
    .action(async (id: number, options: AdminOptions & { url?: string; description?: string }) => {
      const input = { id, url: options.url, description: options.description };
      await runAdmin('destinations/update', input, options, ({ destination }) => ({
        text: `Destination ${destination.id} (${destination.url}) is changed.`,
      }));
    });

  defineBind(destinations);

  defineVerb(destinations, 'unbind', 'stop forwarding events of a source', 'destinations unbind 3 --source 1')
    .argument('<id>', 'the destination, as destinations list shows it', parseId)
    .requiredOption('--source <id>', 'the source', parseId)
    .action(async (id: number, options: AdminOptions & { source: number }) => {
      const input = { destinationId: id, sourceId: options.source };
      await runAdmin('destinations/unbind', input, options, ({ destination }) => ({
        text: `Destination ${destination.id} gets no more events of source ${options.source}.`,
      }));
    });

  withListFilter(
    defineVerb(destinations, 'list', 'list destinations and what they are bound to', 'destinations list'),
    parseId,
  ).action(async (options: ListOptions) => {
    const filter = { accountId: options.account, connectionId: options.connection };
    await runAdmin('destinations/list', filter, options, (result) => ({
      text: renderTable(
        result.destinations,
        {
          ID: (row) => row.id,
          CONNECTION: (row) => row.connectionId,
          URL: (row) => row.url,
          DESCRIPTION: (row) => row.description,
          BINDINGS: (row) => row.bindings.map(describeBinding).join('; '),
        },
        'There are no destinations yet: add one with svc-server destinations add.',
      ),
    }));
  });

  defineRemove(destinations, 'destinations/remove', {
    what: 'destination',
    description: 'remove a destination; its deliveries stay',
  });
}

function defineBind(destinations: Command): void {
  defineVerb(
    destinations,
    'bind',
    'forward events of a source to a destination, or change an existing binding',
    'destinations bind 3 --source 1 --event-types EMAIL_REPLY,EMAIL_SENT --delayed',
  )
    .argument('<id>', 'the destination, as destinations list shows it', parseId)
    .requiredOption('--source <id>', 'the source, of the same connection', parseId)
    .requiredOption('--event-types <names>', 'event types, separated by commas', parseNames)
    .option('--delayed', 'forward five minutes later, usually after the CRM write', false)
    .action(async (id: number, options: AdminOptions & { source: number; eventTypes: string[]; delayed: boolean }) => {
      const { source: sourceId, eventTypes, delayed: isDelayed } = options;
      await runAdmin(
        'destinations/bind',
        { destinationId: id, sourceId, eventTypes, isDelayed },
        options,
        (result) => ({
          text: `Destination ${id} gets ${eventTypes.join(', ')} of source ${sourceId}${isDelayed ? ', delayed' : ''}. It now has ${countOf(result.destination.bindings.length, 'bindings')}.`,
        }),
      );
    });
}

function describeBinding({ sourceId, eventTypes, isDelayed }: AdminDestination['bindings'][number]): string {
  return `source ${sourceId}: ${eventTypes.join(' ')}${isDelayed ? ' (delayed)' : ''}`;
}
