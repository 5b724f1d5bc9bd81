import type { Command } from 'commander';
import { type AdminOptions, parseId, parseSwitch } from './options.ts';
import { defineVerb } from './define.ts';
import { runAdmin } from './run.ts';
import { type SwitchOptions, withSwitches } from './switches.ts';

interface SetOptions extends AdminOptions, SwitchOptions {
  connection?: number;
  account?: number;
  webhooks?: boolean;
}

export function defineCapabilities(program: Command): void {
  const capabilities = program.command('capabilities').description('features that accounts and connections may use');
  const command = defineVerb(
    capabilities,
    'set',
    'switch features of one connection, or the webhooks of one account, on or off',
    'capabilities set --connection 1 --destinations on --blocklists off',
  )
    .option('--connection <id>', 'the connection', parseId)
    .option('--account <id>', 'the account', parseId)
    .option('--webhooks <on|off>', 'webhooks and the event log of the account', parseSwitch);
  withSwitches(command).action(async (options: SetOptions) => {
    const { connection: connectionId, account: accountId, webhooks: canUseWebhooks, api: canUseApi } = options;
    const { sync, destinations, blocklists } = options;
    const input = { connectionId, canUseApi, sync, destinations, blocklists, accountId, canUseWebhooks };
    await runAdmin('capabilities/set', input, options, (result) => ({
      text:
        'account' in result
          ? `Account ${result.account.id}: webhooks ${onOff(result.account.canUseWebhooks)}.`
          : `Connection ${result.connection.id}: api ${onOff(result.connection.canUseApi)}, sync ${onOff(result.connection.capabilities.sync)}, destinations ${onOff(result.connection.capabilities.destinations)}, blocklists ${onOff(result.connection.capabilities.blocklists)}.`,
    }));
  });
}

function onOff(isOn: boolean): string {
  return isOn ? 'on' : 'off';
}
