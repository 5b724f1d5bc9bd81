import * as z from 'zod';
import type { StoredAccount } from '../store/accounts.ts';
import { type AdminConnection, switches } from './connections.ts';
import { declare, type InJson, noun, one, flagged } from './declare.ts';
import { id } from './fields.ts';

export const setCapabilities = declare({
  name: 'capabilities/set',
  description: 'switch features of one connection, or the webhooks of one account, on or off',
  details:
    'Unnamed ones stay. New connections have api and sync on, destinations and blocklists off; new accounts have webhooks off. The result is the connection or the account.',
  example: '--connection 1 --destinations on --blocklists off',
  permission: 'write',
  input: z.strictObject({
    connectionId: id.meta(flagged('--connection <id>', 'the connection')).optional(),
    accountId: id.meta(flagged('--account <id>', 'the account')).optional(),
    canUseWebhooks: z
      .boolean()
      .meta(flagged('--webhooks <on|off>', 'webhooks and the event log of the account'))
      .optional(),
    ...switches,
  }),
  result: { connection: one<AdminConnection | undefined>(), account: one<StoredAccount | undefined>() },
  print: ({ connection, account }) => [...describeAccount(account), ...describeConnection(connection)].join('\n'),
});

export const capabilities = noun('capabilities', 'features that accounts and connections may use', [setCapabilities]);

function describeAccount(account: InJson<StoredAccount> | undefined): string[] {
  return account === undefined ? [] : [`Account ${account.id}: webhooks ${onOff(account.canUseWebhooks)}.`];
}

function describeConnection(connection: AdminConnection | undefined): string[] {
  if (connection === undefined) return [];
  const { sync, destinations, blocklists } = connection.capabilities;
  return [
    `Connection ${connection.id}: api ${onOff(connection.canUseApi)}, sync ${onOff(sync)}, destinations ${onOff(destinations)}, blocklists ${onOff(blocklists)}.`,
  ];
}

function onOff(isOn: boolean): string {
  return isOn ? 'on' : 'off';
}
