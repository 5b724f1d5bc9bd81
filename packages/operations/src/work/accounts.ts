import * as z from 'zod';
import * as store from '../store/accounts.ts';
import { findWorldName } from '@svc/engine/world/load-world';
import { conflict } from './admin-error.ts';
import { email } from './fields.ts';
import { adminOperation } from './operation.ts';
import { removalOf } from './removal.ts';

export interface AdminAccount {
  id: number;
  email: string;
  canUseWebhooks: boolean;
  createdAt: string;
}

const newAccount = z.strictObject({
  /** Email of the account's owner; unique among accounts. */
  email,
  /** Whether the account may use webhooks and the event log. Default false. */
  canUseWebhooks: z.boolean().default(false),
});

export const createAccount = adminOperation(newAccount, async (ctx, input) => {
  const account = await ctx.db.transaction(async (tx) => {
    await store.lockAccounts(tx);
    const other = await store.findAccountByEmail(tx, input.email);
    if (other)
      throw conflict(`Account ${other.id} already has the email ${other.email}: use that account, or another email.`);
    return store.insertAccount(tx, { ...input, createdAt: ctx.clock.now() });
  });
  const world = await findWorldName(ctx.db);
  const notices = world === null ? [] : [replaceableNotice(world)];
  return { account: toAdminAccount(account), notices };
});

export const listAccounts = adminOperation(z.strictObject({}), async (ctx) => ({
  accounts: (await store.listAccounts(ctx.db)).map(toAdminAccount),
}));

export const removeAccount = removalOf('account');

export function toAdminAccount(row: store.StoredAccount): AdminAccount {
  return { ...row, createdAt: row.createdAt.toISOString() };
}

function replaceableNotice(world: string): string {
  return `This database contains the world "${world}": loading a world again, as start --demo does, deletes everything in it, this account included.`;
}
