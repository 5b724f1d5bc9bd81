import * as declared from '../declared/accounts.ts';
import * as store from '../store/accounts.ts';
import { findWorldName } from '@svc/engine/world/load-world.sql';
import { conflict } from './admin-error.ts';
import { implement } from './operation.ts';

export const createAccount = implement(declared.createAccount, async (ctx, input) => {
  const account = await ctx.db.transaction(async (tx) => {
    await store.lockAccounts(tx);
    const other = await store.findAccountByEmail(tx, input.email);
    if (other)
      throw conflict(`Account ${other.id} already has the email ${other.email}: use that account, or another email.`);
    return store.insertAccount(tx, { ...input, createdAt: ctx.clock.now() });
  });
  const world = await findWorldName(ctx.db);
  const notices = world === null ? [] : [replaceableNotice(world)];
  return { account, notices };
});

export const listAccounts = implement(declared.listAccounts, async (ctx) => ({
  accounts: await store.listAccounts(ctx.db),
}));

function replaceableNotice(world: string): string {
  return `This database contains the world "${world}": loading a world again, as start --demo does, deletes everything in it, this account included.`;
}
