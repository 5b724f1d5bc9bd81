import type { Source } from '@svc/contract/types';
import { SALESFORCE_OBJECT_TYPES, type SalesforceObjectType } from '@svc/domain/values/salesforce-object-types';
import { type Command, Option } from 'commander';
import { type AdminOptions, parseId, parseSwitch } from './options.ts';
import { defineRemove, defineVerb, type ListOptions, withListFilter } from './define.ts';
import { runAdmin } from './run.ts';
import { defineSourceMappings, readMapping } from './source-mappings.ts';
import { defineSourceSecrets } from './source-secrets.ts';
import { renderTable } from './table.ts';

type Config = Source['config'];
type ConfigSwitch = Exclude<keyof Config, 'salesforceObjectType'>;
/** The switches of a source, each a flag of `add` and `update`: `--create-or-update-company`. */
type Switches = Pick<Config, ConfigSwitch> & { writeStateFields: boolean };

const STATE_FIELDS = 'also record bounces and opt-outs on the contact itself';
const CONFIG_SWITCHES: Readonly<Record<ConfigSwitch, string>> = {
  createOrUpdateCompany: 'also create or update the company',
  createOrUpdateTask: 'also create or update a task for replies',
  assignContactOwner: 'assign contacts without an owner to the user of the sending mailbox',
};
const SWITCHES = Object.entries({ ...CONFIG_SWITCHES, writeStateFields: STATE_FIELDS }).map(([field, description]) => ({
  field,
  flag: `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  description,
}));

interface AddOptions extends AdminOptions, Switches {
  connection: number;
  platform: string;
  mapping?: string;
  salesforceObjectType?: SalesforceObjectType;
  legacy?: string[];
  yes: boolean;
}

export function defineSources(program: Command): void {
  const sources = program.command('sources').description('inbound URLs that sequencers post events to');
  defineAdd(sources);
  defineUpdate(sources);
  defineSourceMappings(sources);
  defineSourceSecrets(sources);

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
            EVENTS: (row) => row.eventCoverage,
            MAPPING: (row) => row.mappingVersion,
            'STATE FIELDS': (row) => (row.writeStateFields ? 'on' : 'off'),
            SECRET: (row) => row.authenticity.secret,
            'REFUSED (7 D)': (row) => row.authenticity.refused.reduce((sum, day) => sum + day.missing + day.wrong, 0),
            URL: (row) => row.url,
          },
          'There are no sources yet: add one with svc-server sources add.',
        ),
      }));
    },
  );

  defineRemove(sources, 'sources/remove', {
    what: 'source',
    description: 'remove a source; its URL then returns 404, its logs stay',
  });
}

function defineAdd(sources: Command): void {
  const add = defineVerb(
    sources,
    'add',
    'create an inbound URL for a sequencer and show it',
    'sources add --connection 1 --platform smartlead --create-or-update-company',
  )
    .requiredOption('--connection <id>', 'the connection whose CRM gets its events', parseId)
    .requiredOption('--platform <platform>', 'the sequencer, such as smartlead; a name of your own for another one')
    .option('--mapping <file>', 'how to read the payloads of another one (docs/sequencers/any-other.md)');
  for (const { flag, description } of SWITCHES) add.option(flag, description, false);
  add
    .addOption(objectTypeOption())
    .option('--yes', 'also for a platform that this release does not read, without --mapping', false)
    .option('--legacy <ids...>', 'HUBID OWNERID: create the URL /webhooks/HUBID/OWNERID, which can be guessed')
    .action(async (options: AddOptions, command: Command) => {
      const { connection: connectionId, platform, salesforceObjectType = null, writeStateFields } = options;
      const config = { ...switchesIn(options), salesforceObjectType };
      const legacy = parseLegacy(options.legacy, command);
      const mapping = options.mapping === undefined ? null : await readMapping(options.mapping);
      const input = { connectionId, platform, mapping, config, writeStateFields, legacy, isConfirmed: options.yes };
      await runAdmin('sources/add', input, options, ({ source }) => ({
        text: `Source ${source.id} (${source.platform}, connection ${source.connectionId}) receives events at:\n${source.url}`,
      }));
    });
}

function objectTypeOption(): Option {
  const description = 'Salesforce only: what to create for an unknown person';
  return new Option('--salesforce-object-type <type>', description).choices(SALESFORCE_OBJECT_TYPES);
}

interface UpdateOptions extends AdminOptions, Partial<Switches> {
  salesforceObjectType?: SalesforceObjectType | false;
}

function defineUpdate(sources: Command): void {
  const update = defineVerb(
    sources,
    'update',
    'change how events of a source are written',
    'sources update 1 --create-or-update-company on',
  ).argument('<id>', 'the source, as sources list shows it', parseId);
  for (const { flag, description } of SWITCHES) update.option(`${flag} <on|off>`, description, parseSwitch);
  update
    .addOption(objectTypeOption())
    .option('--no-salesforce-object-type', 'create contacts again, as by default')
    .action(async (id: number, options: UpdateOptions) => {
      const salesforceObjectType = options.salesforceObjectType === false ? null : options.salesforceObjectType;
      const { writeStateFields } = options;
      const input = { id, ...switchesIn(options), writeStateFields, salesforceObjectType };
      await runAdmin('sources/update', input, options, ({ source }) => ({ text: `Source ${source.id} is changed.` }));
    });
}

/** Returns the switches of the API's `config` among the options. */
function switchesIn(options: Partial<Pick<Config, ConfigSwitch>>): Partial<Pick<Config, ConfigSwitch>> {
  const entries = Object.entries(options).filter(([name]) => Object.hasOwn(CONFIG_SWITCHES, name));
  return Object.fromEntries(entries);
}

/** Commander accepts any number of values, so the count is checked here. */
function parseLegacy(ids: readonly string[] | undefined, command: Command): { hubId: string; ownerId: string } | null {
  if (ids === undefined) return null;
  const [hubId, ownerId, ...more] = ids;
  if (hubId === undefined || ownerId === undefined || more.length > 0) {
    command.error("error: option '--legacy <ids...>' takes two ids: HUBID OWNERID.");
  }
  return { hubId, ownerId };
}
