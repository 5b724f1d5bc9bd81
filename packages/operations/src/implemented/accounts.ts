import * as declared from '../declared/accounts.ts';
import * as store from '../store/accounts.ts';
import { HOUR_MS } from '@svc/engine/store/hour-counts';
import { countRequests } from '@svc/engine/store/requests';
import { countSyncs } from '@svc/engine/store/syncs';
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

export const listAccounts = implement(declared.listAccounts, async (ctx) => ({
  accounts: await store.listAccounts(ctx.db),
}));

const HOURS = 24;

export const showActivity = implement(declared.showActivity, async (ctx, { id }) => {
  const connections = await selectConnections(ctx.db, { accountId: id });
  const connectionIds = connections.map((connection) => connection.id);
  const current = Math.floor(ctx.clock.now().getTime() / HOUR_MS) * HOUR_MS;
  const hours: declared.HourOfAccount[] = [];
  for (let start = current - (HOURS - 1) * HOUR_MS; start <= current; start += HOUR_MS) {
    const hour = new Date(start);
    const range = { from: hour, to: new Date(start + HOUR_MS - 1) };
    const { count } = await countRequests(ctx.db, { connectionIds, deletedSourcesOf: id }, range);
    const { success, warning, error } = await countSyncs(ctx.db, { connectionIds }, range);
    hours.push({ hour, received: count, written: success, warnings: warning, errors: error });
  }
  return { hours };
});

function replaceableNotice(world: string): string {
  return `This database contains the world "${world}": loading a world again, as start --demo does, deletes everything in it, this account included.`;
}
