import * as declared from '../declared/accounts.ts';
import * as store from '../store/accounts.ts';
import { countLogByHour, HOUR_MS } from '@svc/engine/store/hour-counts';
import type { Db } from '@svc/engine/store/database/db';
import { updateRow } from '@svc/engine/store/database/rows';
import { findWorldName } from '@svc/engine/world/load-world.sql';
import { conflict } from './admin-error.ts';
import { implement } from './operation.ts';
import { selectConnections } from './references.ts';

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

/** @throws AdminError when another account has it */
export async function setEmail(tx: Db, id: number, email: string): Promise<void> {
  await store.lockAccounts(tx);
  const other = await store.findAccountByEmail(tx, email);
  if (other !== null && other.id !== id) throw conflict(`Account ${other.id} already has the email ${other.email}.`);
  await updateRow(tx, 'accounts', id, { email });
}

export const listAccounts = implement(declared.listAccounts, async (ctx) => ({
  accounts: await store.listAccounts(ctx.db),
}));

const HOURS = 24;

export const showActivity = implement(declared.showActivity, async (ctx, { id }) => {
  const connections = await selectConnections(ctx.db, { accountId: id });
  const connectionIds = connections.map((connection) => connection.id);
  const last = new Date(Math.floor(ctx.clock.now().getTime() / HOUR_MS) * HOUR_MS);
  const range = { first: new Date(last.getTime() - (HOURS - 1) * HOUR_MS), last };
  const requests = await countLogByHour(ctx.db, 'requests', [...connectionIds, -id], range);
  const syncs = await countLogByHour(ctx.db, 'syncs', connectionIds, range);
  const hours = requests.map(({ hour, counted }, index): declared.HourOfAccount => {
    const { success = 0, warning = 0, error = 0 } = syncs[index] ?? {};
    return { hour, received: counted, written: success, warnings: warning, errors: error };
  });
  return { hours };
});

function replaceableNotice(world: string): string {
  return `This database contains the world "${world}": loading a world again, as start --demo does, deletes everything in it, this account included.`;
}
