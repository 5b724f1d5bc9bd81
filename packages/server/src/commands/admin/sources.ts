import { PLATFORMS } from '@svc/contract/vocabulary';
import { type Command, Option } from 'commander';
import { parseId, parseSwitch } from '../options.ts';
import { type AdminOptions, defineRemove, defineVerb, type ListOptions, withListFilter } from './define.ts';
import { runAdmin } from './run.ts';
import { renderTable } from './table.ts';

interface AddOptions extends AdminOptions {
  connection: number;
  platform: (typeof PLATFORMS)[number];
  createOrUpdateCompany: boolean;
  createOrUpdateTask: boolean;
  assignContactOwner: boolean;
  salesforceObjectType?: string;
  legacy?: string[];
}

export function defineSources(program: Command): void {
  const sources = program.command('sources').description('inbound URLs that sequencers post events to');
  defineAdd(sources);
  defineUpdate(sources);

  withListFilter(defineVerb(sources, 'list', 'list sources', 'sources list --connection 1'), parseId).action(
    async (options: ListOptions) => {
      const filter = { accountId: options.account, connectionId: options.connection };
      await runAdmin('sources/list', filter, options, (result) => ({
        text: renderTable(
          result.sources,
          {
            ID: (row) => row.id,
            CONNECTION: (row) => row.connectionId,
            CRM: (row) => row.crm,
            PLATFORM: (row) => row.platform,
            URL: (row) => row.url,
          },
          'There are no sources yet: svc-server sources add makes one.',
        ),
      }));
    },
  );

  defineRemove(sources, 'sources/remove', {
    what: 'source',
    description: 'remove a source: its URL answers 404, its logs stay',
  });
}

function defineAdd(sources: Command): void {
  defineVerb(
    sources,
    'add',
    'make an inbound URL for a sequencer and show it',
    'sources add --connection 1 --platform smartlead --create-or-update-company',
  )
    .requiredOption('--connection <id>', 'the connection that its events are written to', parseId)
    .addOption(new Option('--platform <platform>', 'the sequencer').choices(PLATFORMS).makeOptionMandatory())
    .option('--create-or-update-company', 'also write the company', false)
    .option('--create-or-update-task', 'also write a task on replies', false)
    .option('--assign-contact-owner', 'give contacts without an owner the user whose mailbox wrote', false)
    .option('--salesforce-object-type <type>', 'Salesforce only: the object that is written to')
    .option('--legacy <ids...>', 'HUBID OWNERID: make the URL /webhooks/HUBID/OWNERID, which can be guessed')
    .action(async (options: AddOptions, command: Command) => {
      const { createOrUpdateCompany, createOrUpdateTask, assignContactOwner, salesforceObjectType = null } = options;
      const input = {
        connectionId: options.connection,
        platform: options.platform,
        config: { createOrUpdateCompany, createOrUpdateTask, assignContactOwner, salesforceObjectType },
        legacy: parseLegacy(options.legacy, command),
      };
      await runAdmin('sources/add', input, options, ({ source }) => ({
        text: `Source ${source.id} (${source.platform}, connection ${source.connectionId}) takes events at:\n${source.url}`,
      }));
    });
}

interface UpdateOptions extends AdminOptions {
  createOrUpdateCompany?: boolean;
  createOrUpdateTask?: boolean;
  assignContactOwner?: boolean;
  salesforceObjectType?: string | false;
}

function defineUpdate(sources: Command): void {
  defineVerb(
    sources,
    'update',
    'change how events of a source are written; what is not named stays',
    'sources update 1 --create-or-update-company on',
  )
    .argument('<id>', 'the source, as sources list shows it', parseId)
    .option('--create-or-update-company <on|off>', 'also write the company', parseSwitch)
    .option('--create-or-update-task <on|off>', 'also write a task on replies', parseSwitch)
    .option(
      '--assign-contact-owner <on|off>',
      'give contacts without an owner the user whose mailbox wrote',
      parseSwitch,
    )
    .option('--salesforce-object-type <type>', 'Salesforce only: the object that is written to')
    .option('--no-salesforce-object-type', 'write to the default object again')
    .action(async (id: number, options: UpdateOptions) => {
      const { createOrUpdateCompany, createOrUpdateTask, assignContactOwner } = options;
      const salesforceObjectType = options.salesforceObjectType === false ? null : options.salesforceObjectType;
      const input = { id, createOrUpdateCompany, createOrUpdateTask, assignContactOwner, salesforceObjectType };
      await runAdmin('sources/update', input, options, ({ source }) => ({ text: `Source ${source.id} is changed.` }));
    });
}

/** Commander takes as many as there are, and tells nobody when they end. */
function parseLegacy(ids: readonly string[] | undefined, command: Command): { hubId: string; ownerId: string } | null {
  if (ids === undefined) return null;
  const [hubId, ownerId, ...more] = ids;
  if (hubId === undefined || ownerId === undefined || more.length > 0) {
    command.error("error: option '--legacy <ids...>' takes two ids: HUBID OWNERID.");
  }
  return { hubId, ownerId };
}
