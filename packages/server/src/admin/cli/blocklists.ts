import { BLOCK_TYPES, PLATFORMS } from '@svc/contract/vocabulary';
import { type Command, Option } from 'commander';
import { type AdminOptions, parseId } from './options.ts';
import { defineRemove, defineVerb, type ListOptions, withListFilter } from './define.ts';
import { readSecret } from './read-secret.ts';
import { runAdmin } from './run.ts';
import { renderTable } from './table.ts';

interface AddOptions extends AdminOptions {
  connection: number;
  name: string;
  platform: (typeof PLATFORMS)[number];
  type: (typeof BLOCK_TYPES)[number];
  crmListId?: string;
  clientId?: string;
  instanceUrl?: string;
  tokenFile?: string;
}

export function defineBlocklists(program: Command): void {
  const blocklists = program
    .command('blocklists')
    .description("sequencers' block lists that are filled from CRM lists");
  defineAdd(blocklists);
  defineUpdate(blocklists);
  defineSetToken(blocklists);
  defineRemove(blocklists, 'blocklists/remove', {
    what: 'blocklist',
    description: 'remove a block list and its entries; entries at the sequencer stay',
  });

  withListFilter(defineVerb(blocklists, 'list', 'list block lists', 'blocklists list --connection 1'), parseId).action(
    async (options: ListOptions) => {
      const filter = { accountId: options.account, connectionId: options.connection };
      await runAdmin('blocklists/list', filter, options, (result) => ({
        text: renderTable(
          result.blocklists,
          {
            ID: (row) => row.id,
            CONNECTION: (row) => row.connectionId,
            NAME: (row) => row.listName,
            PLATFORM: (row) => row.platform,
            TYPE: (row) => row.blockType,
            STATUS: (row) => row.status,
            ENABLED: (row) => row.isEnabled,
            SYNCED: (row) => row.syncedCount,
            PENDING: (row) => row.pendingCount,
            'LAST ERROR': (row) => row.lastError,
          },
          'There are no block lists yet: add one with svc-server blocklists add.',
        ),
      }));
    },
  );
}

function defineAdd(blocklists: Command): void {
  defineVerb(
    blocklists,
    'add',
    "add a block list; the sequencer's API key is read from stdin or a prompt",
    'blocklists add --connection 1 --name "Do not contact" --crm-list-id 88 --platform smartlead --type ADDRESS < key.txt',
  )
    .requiredOption('--connection <id>', 'the connection whose CRM has the list', parseId)
    .requiredOption('--name <name>', 'its name')
    .option(
      '--crm-list-id <id>',
      'the CRM list that fills it: a HubSpot list, a Salesforce campaign or list view, a Pipedrive filter',
    )
    .addOption(new Option('--platform <platform>', 'the sequencer').choices(PLATFORMS).makeOptionMandatory())
    .addOption(new Option('--type <type>', 'what it blocks').choices(BLOCK_TYPES).makeOptionMandatory())
    .option('--client-id <id>', "the sequencer's id of the client it is for")
    .option('--instance-url <url>', "the customer's instance, for EmailBison")
    .option('--token-file <file>', "read the sequencer's API key from this file")
    .action(async (options: AddOptions) => {
      const { connection: connectionId, name: listName, platform, type: blockType } = options;
      const { crmListId = null, clientId = null, instanceUrl = null } = options;
      const sequencerToken = await readSecret('sequencer token', options.tokenFile);
      const input = { connectionId, listName, crmListId, platform, blockType, clientId, instanceUrl, sequencerToken };
      await runAdmin('blocklists/add', input, options, ({ blocklist }) => ({
        text: `Block list ${blocklist.id} "${blocklist.listName}" (${blocklist.blockType}, ${blocklist.platform}) is added to connection ${blocklist.connectionId}.`,
      }));
    });
}

interface UpdateOptions extends AdminOptions {
  name?: string;
  crmListId?: string;
  clientId?: string | false;
  instanceUrl?: string | false;
}

function defineUpdate(blocklists: Command): void {
  defineVerb(
    blocklists,
    'update',
    'change the given settings of a block list; a new CRM list, client or instance begins a resync',
    'blocklists update 1 --name "Do not contact" --crm-list-id 88',
  )
    .argument('<id>', 'the block list, as blocklists list shows it', parseId)
    .option('--name <name>', 'its name')
    .option(
      '--crm-list-id <id>',
      'the CRM list that fills it: a HubSpot list, a Salesforce campaign or list view, a Pipedrive filter',
    )
    .option('--client-id <id>', "the sequencer's id of the client it is for")
    .option('--no-client-id', 'remove the client')
    .option('--instance-url <url>', "the customer's instance, for EmailBison")
    .option('--no-instance-url', 'use the instance of SVC_EMAILBISON_URL')
    .action(async (id: number, options: UpdateOptions) => {
      const clientId = options.clientId === false ? null : options.clientId;
      const instanceUrl = options.instanceUrl === false ? null : options.instanceUrl;
      const input = { id, listName: options.name, crmListId: options.crmListId, clientId, instanceUrl };
      await runAdmin('blocklists/update', input, options, ({ blocklist }) => ({
        text: `Block list ${blocklist.id} "${blocklist.listName}" is changed.`,
      }));
    });
}

function defineSetToken(blocklists: Command): void {
  defineVerb(
    blocklists,
    'set-token',
    "replace the sequencer's API key of a list; it is read from stdin or a prompt",
    'blocklists set-token --blocklist 1 < key.txt',
  )
    .requiredOption('--blocklist <id>', 'the block list', parseId)
    .option('--token-file <file>', "read the sequencer's API key from this file")
    .action(async (options: AdminOptions & { blocklist: number; tokenFile?: string }) => {
      const sequencerToken = await readSecret('sequencer token', options.tokenFile);
      const input = { blocklistId: options.blocklist, sequencerToken };
      await runAdmin('blocklists/set-token', input, options, ({ blocklist }) => ({
        text: `Block list ${blocklist.id} "${blocklist.listName}" has a new API key of ${blocklist.platform}. A resync uses it now, otherwise the next round does.`,
      }));
    });
}
