/** Configuration as code: what is stored as a file, and a file as changes of what is stored. */
import * as declared from '../declared/config.ts';
import { listConfigRows, setConfigName } from '../store/config-rows.ts';
import { AdminError, conflict, invalidInput } from './admin-error.ts';
import { applySteps } from './config-apply.ts';
import { askOthers } from './config-checks.ts';
import { countQuickly, removeStored } from './config-prune.ts';
import { fileOfItems, readItems } from './config-items.ts';
import { type ConfigInput, type ConfigPlan, idsOfAccounts, makePlan } from './config-plan.ts';
import { type AdminContext, implement } from './operation.ts';

export const exportConfig = implement(declared.exportConfig, async (ctx, { accountName }) => {
  const ids = await idsOfAccounts(ctx.db);
  const rows = await listConfigRows(ctx.db, 'account', ids);
  const chosen = rows.filter(({ name }) => accountName === undefined || name === accountName);
  if (accountName !== undefined && chosen.length === 0) {
    throw invalidInput(`There is no account ${accountName}: svc-server config export shows all.`);
  }
  const items = await readItems(
    ctx,
    ctx.db,
    chosen.map(({ id }) => Number(id)),
  );
  return { accounts: fileOfItems(items) };
});

async function plan(ctx: AdminContext, input: ConfigInput) {
  const made = await makePlan(ctx, ctx.db, input);
  for (const { step, stored } of made.removals) step.changes.push(...(await countQuickly(ctx, stored)));
  return describe(made);
}

export const planConfig = implement(declared.planConfig, plan);
export const checkConfig = implement(declared.checkConfig, plan);

/**
 * Killed at any point, it did everything or nothing of what is created and updated. Removals may touch millions of rows, so each has
 * transactions of its own afterwards; those that a kill prevents are in the next plan.
 */
export const applyConfig = implement(declared.applyConfig, async (ctx, { planId, checksTokens, ...input }) => {
  const assertShown = ({ id }: ConfigPlan) => {
    if (id === planId) return;
    throw conflict(
      `The file or what is stored changed since plan ${planId}, so nothing was done: look at svc-server config plan again${input.prunes ? ' with --prune' : ''}. It is plan ${id} now.`,
    );
  };
  const shown = await makePlan(ctx, ctx.db, input);
  if (isEmpty(shown)) return { ...describe(shown), applied: 0 };
  assertShown(shown);
  const checked = await askOthers(ctx, shown, { checksTokens });
  const done = await ctx.db.transaction(async (tx) => {
    const made = await makePlan(ctx, tx, input, { locks: true });
    if (isEmpty(made)) return made;
    assertShown(made);
    await applySteps(checked, tx, made);
    return made;
  });
  for (const { stored } of done.removals) if (stored.kind !== 'webhook') await removeStored(ctx, stored);
  return { ...describe(done), applied: done.items.length + done.removals.length };
});

function isEmpty({ items, removals }: ConfigPlan): boolean {
  return items.length + removals.length === 0;
}

function describe({ id, items, manual, unlisted, removals }: ConfigPlan) {
  const left = removals.length > 0 ? [] : unlisted;
  return {
    ...{ planId: id, manual, steps: [...items, ...removals].map(({ step }) => step) },
    unlisted: left.map(({ kind, path }) => ({ kind, path })),
  };
}

export const renameConfig = implement(declared.renameConfig, async (ctx, { kind, id, name }) => {
  const path = await ctx.db.transaction(async (tx) => {
    const items = await readItems(ctx, tx, await idsOfAccounts(tx), { locks: true });
    const item = items.find((one) => one.kind === kind && one.row.id === id);
    if (item === undefined) throw new AdminError('not_found', `There is no ${kind} ${id}.`);
    const next = item.parent === null ? name : `${item.parent}/${name}`;
    const other = items.find((one) => one.kind === kind && one.path === next && one !== item);
    if (other !== undefined) throw conflict(`${kind} ${other.row.id} is called ${next} already.`);
    await setConfigName(tx, kind, id, name);
    return next;
  });
  return { path };
});
