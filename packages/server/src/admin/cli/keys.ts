import type { ApiKeyScope } from '@svc/contract/vocabulary';
import { API_KEY_SCOPES } from '@svc/contract/vocabulary';
import { type Command, Option } from 'commander';
import type { AdminKey } from '@svc/operations/work/keys';
import { type AdminOptions, parseId } from './options.ts';
import { defineVerb, type ListOptions, withListFilter } from './define.ts';
import { runAdmin } from './run.ts';
import { renderTable } from './table.ts';

export function defineKeys(program: Command): void {
  const keys = program.command('keys').description('API keys of accounts');
  defineCreate(keys);

  withListFilter(defineVerb(keys, 'list', 'list keys; tokens are not stored', 'keys list --account 1'), parseId).action(
    async (options: ListOptions) => {
      const filter = { accountId: options.account, connectionId: options.connection };
      await runAdmin('keys/list', filter, options, (result) => ({
        text: renderTable(
          result.keys,
          {
            ID: (row) => row.id,
            ACCOUNT: (row) => row.accountId,
            NAME: (row) => row.name,
            SCOPES: (row) => row.scopes,
            CONNECTION: (row) => row.connectionId ?? 'all',
            STATE: (row) => row.state,
            CREATED: (row) => row.createdAt,
            EXPIRES: (row) => row.expiresAt,
            'LAST USED': (row) => row.lastUsedAt,
          },
          'There are no keys yet: create one with svc-server keys create.',
        ),
      }));
    },
  );

  defineVerb(keys, 'revoke', 'make a key permanently invalid, effective immediately', 'keys revoke 3')
    .argument('<id>', 'the key, as keys list shows it', parseId)
    .action(async (id: number, options: AdminOptions) => {
      await runAdmin('keys/revoke', { id }, options, ({ key }) => ({
        text: `Key ${key.id} "${key.name}" is revoked: requests with it get 401 from now on.`,
      }));
    });

  defineVerb(keys, 'rotate', 'replace a key by a new one, effective immediately', 'keys rotate 3')
    .argument('<id>', 'the key, as keys list shows it', parseId)
    .action(async (id: number, options: AdminOptions) => {
      await runAdmin('keys/rotate', { id }, options, ({ key, token, replacedKeyId }) => ({
        text: token,
        note: `${describe(key)} replaces key ${replacedKeyId}, which gets 401 from now on. ${SHOWN_ONCE}`,
      }));
    });
}

interface CreateOptions extends AdminOptions {
  account: number;
  name: string;
  scope: ApiKeyScope;
  connection?: number;
  expires?: string;
}

function defineCreate(keys: Command): void {
  const scope = new Option('--scope <scope>', 'permissions; write includes read').choices(API_KEY_SCOPES);
  defineVerb(
    keys,
    'create',
    'create a key and show its token once',
    'keys create --account 1 --name reporting > key.txt',
  )
    .requiredOption('--account <id>', 'its account', parseId)
    .requiredOption('--name <name>', 'its purpose')
    .addOption(scope.default('read'))
    .option('--connection <id>', 'restrict it to this connection (default: all of the account)', parseId)
    .option(
      '--expires <when>',
      'when it expires: 90d, 12h, 2027-01-31 or "2027-01-31 08:00", UTC without an offset (default: never)',
    )
    .action(async (options: CreateOptions) => {
      const { account: accountId, name, connection: connectionId = null, expires = null } = options;
      const input = { accountId, name, scopes: [options.scope], connectionId, expires };
      await runAdmin('keys/create', input, options, ({ key, token }) => ({
        text: token,
        note: `${describe(key)} is created${key.expiresAt === null ? '' : ` and expires ${key.expiresAt}`}. ${SHOWN_ONCE}`,
      }));
    });
}

const SHOWN_ONCE = 'The line on stdout is its token. It is shown only once and not stored: keep it safe.';

function describe(key: AdminKey): string {
  const reach = key.connectionId === null ? `account ${key.accountId}` : `connection ${key.connectionId}`;
  return `Key ${key.id} "${key.name}" of ${reach} (${key.scopes.join(', ')})`;
}
