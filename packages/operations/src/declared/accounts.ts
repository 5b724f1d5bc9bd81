import * as z from 'zod';
import type { StoredAccount } from '../store/accounts.ts';
import { declare, list, noun, one, notices, flagged } from './declare.ts';
import { email, oneOf } from './fields.ts';
import { declareRemoval } from './removal.ts';
import { renderTable } from './table.ts';

export const createAccount = declare({
  name: 'accounts/create',
  description: 'create an account',
  details: 'Webhooks and the event log are off by default.',
  example: '--email kim@example.com --webhooks on',
  permission: 'write',
  input: z.strictObject({
    email: email.meta(flagged('--email <email>', 'email of the owner, unique among accounts')),
    canUseWebhooks: z
      .boolean()
      .default(false)
      .meta(flagged('--webhooks <on|off>', 'whether it may use webhooks and the event log')),
  }),
  result: { account: one<StoredAccount>(), notices },
  print: ({ account }) => `Account ${account.id} of ${account.email} is created.`,
});

export const listAccounts = declare({
  name: 'accounts/list',
  description: 'list all accounts',
  permission: 'read',
  input: z.strictObject({}),
  result: { accounts: list<StoredAccount>() },
  print: ({ accounts: rows }) =>
    renderTable(
      rows,
      { ID: 'id', EMAIL: 'email', WEBHOOKS: 'canUseWebhooks', CREATED: 'createdAt' },
      'There are no accounts yet: create one with svc-server accounts create.',
    ),
});

/** What happened in one hour of the clock. */
export interface HourOfAccount {
  hour: Date;
  /** Requests of sequencers. */
  received: number;
  /** Writes to CRMs by their outcome. */
  written: number;
  warnings: number;
  errors: number;
}

export const showActivity = declare({
  name: 'accounts/activity',
  description: 'show hour by hour what an account received and wrote in the last day',
  example: '1',
  permission: 'read',
  input: z.strictObject({ id: oneOf('account') }),
  result: {
    /** The last 24 hours of the clock, oldest first; the last one has not ended. */
    hours: list<HourOfAccount>(),
  },
  print: ({ hours }) =>
    renderTable(
      hours,
      { HOUR: 'hour', RECEIVED: 'received', WRITTEN: 'written', WARNINGS: 'warnings', ERRORS: 'errors' },
      '',
    ),
});

export const removeAccount = declareRemoval('account', 'remove an account and everything that belongs to it');

export const accounts = noun('accounts', 'accounts; everything else belongs to one', [
  createAccount,
  listAccounts,
  showActivity,
  removeAccount,
]);
