import type { Command } from 'commander';
import { type AdminOptions, parseSwitch } from './options.ts';
import { defineRemove, defineVerb } from './define.ts';
import { runAdmin } from './run.ts';
import { renderTable } from './table.ts';

export function defineAccounts(program: Command): void {
  const accounts = program.command('accounts').description('accounts; everything else belongs to one');

  defineVerb(accounts, 'create', 'create an account', 'accounts create --email kim@example.com --webhooks on')
    .requiredOption('--email <email>', 'email of the owner, unique among accounts')
    .option('--webhooks <on|off>', 'whether it may use webhooks and the event log', parseSwitch, false)
    .action(async (options: AdminOptions & { email: string; webhooks: boolean }) => {
      const input = { email: options.email, canUseWebhooks: options.webhooks };
      await runAdmin('accounts/create', input, options, ({ account }) => ({
        text: `Account ${account.id} of ${account.email} is created.`,
      }));
    });

  defineVerb(accounts, 'list', 'list all accounts', 'accounts list').action(async (options: AdminOptions) => {
    await runAdmin('accounts/list', {}, options, (result) => ({
      text: renderTable(
        result.accounts,
        {
          ID: (row) => row.id,
          EMAIL: (row) => row.email,
          WEBHOOKS: (row) => row.canUseWebhooks,
          CREATED: (row) => row.createdAt,
        },
        'There are no accounts yet: create one with svc-server accounts create.',
      ),
    }));
  });

  defineRemove(accounts, 'accounts/remove', {
    what: 'account',
    description: 'remove an account and everything that belongs to it',
  });
}
