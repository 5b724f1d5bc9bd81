/** What a configuration file would change: the steps from what is stored to what it says. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isSameOrganization } from '@svc/engine/crm/same-organization';
import type { Db } from '@svc/engine/store/database/db';
import type { ConfigAccount } from '../declared/config-file.ts';
import type { ConfigStep, ManualStep } from '../declared/config.ts';
import { listAccounts } from '../store/accounts.ts';
import { listConfigRows } from '../store/config-rows.ts';
import { conflict, invalidInput } from './admin-error.ts';
import { type ConfigItem, itemsOfFile, parentKind, readItems, type StoredItem } from './config-items.ts';
import type { AdminContext } from './operation.ts';

export interface ConfigInput {
  accounts: readonly ConfigAccount[];
  /** By reference. */
  secrets: Readonly<Record<string, string>>;
  /** Whether what is not in the file is removed. */
  prunes: boolean;
}

/** A change of an item, or a new one when nothing is stored. */
export interface PlannedItem {
  wanted: ConfigItem;
  stored: StoredItem | null;
  step: ConfigStep;
}

export interface PlannedRemoval {
  stored: StoredItem;
  step: ConfigStep;
}

export interface ConfigPlan {
  id: string;
  items: PlannedItem[];
  /** Each item of the file that is stored, by its kind and path. */
  known: ReadonlyMap<string, StoredItem>;
  manual: ManualStep[];
  /** What is stored of the accounts of the file, and is not in it. */
  unlisted: StoredItem[];
  /** In the order in which they are done. Empty without `--prune`. */
  removals: PlannedRemoval[];
}

/** What never changes in a row. */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  connection: ['crm', 'organizationId'],
  source: ['platform'],
  'sequencer-key': ['platform'],
  blocklist: ['platform', 'type'],
};

/** @throws AdminError when the file cannot be applied */
export async function makePlan(ctx: AdminContext, db: Db, input: ConfigInput, { locks = false } = {}) {
  const names = new Set(input.accounts.map(({ name }) => name));
  const rows = await listConfigRows(db, 'account', await idsOfAccounts(db), { locks });
  const ids = rows.filter(({ name }) => names.has(name)).map(({ id }) => Number(id));
  const wanted = itemsOfFile(ctx, input.accounts, input.secrets);
  return comparePlan(wanted, await readItems(ctx, db, ids, { locks }), input.prunes);
}

export async function idsOfAccounts(db: Db): Promise<number[]> {
  return (await listAccounts(db)).map(({ id }) => id);
}

function comparePlan(
  wantedItems: readonly ConfigItem[],
  storedItems: readonly StoredItem[],
  prunes: boolean,
): ConfigPlan {
  const known = new Map<string, StoredItem>();
  const found = new Set<StoredItem>();
  const manual: ManualStep[] = [];
  const waiting = new Set<string>();
  const items: PlannedItem[] = [];
  const byPlace = Map.groupBy(storedItems, ({ kind, parent }) => `${kind} ${parent}`);
  for (const wanted of wantedItems) {
    const { path, kind, parent } = wanted;
    if (parent !== null && waiting.has(parent)) {
      waiting.add(path);
      continue;
    }
    const storedParent = parent === null ? null : known.get(`${parentKind(kind)} ${parent}`)?.path;
    const stored =
      storedParent === undefined ? null : findStored(wanted, byPlace.get(`${kind} ${storedParent}`) ?? [], wantedItems);
    if (stored === null && kind === 'connection' && wanted.secret === null) {
      manual.push({ path, what: consentOf(wanted) });
      waiting.add(path);
      continue;
    }
    if (stored !== null) {
      known.set(`${kind} ${path}`, stored);
      found.add(stored);
    }
    const step = stored === null ? creationOf(wanted) : changeOf(wanted, stored);
    if (step !== null) items.push({ wanted, stored, step });
  }
  const unlisted = storedItems.filter((item) => !found.has(item));
  const removals = prunes ? removalsOf(unlisted) : [];
  return { id: planId(items, removals), items, known, manual, unlisted, removals };
}

/** Removes last what others refer to. What belongs to a connection goes with it, so it has no step of its own. */
function removalsOf(unlisted: readonly StoredItem[]): PlannedRemoval[] {
  const connections = new Set(unlisted.filter(({ kind }) => kind === 'connection').map(({ path }) => path));
  return unlisted
    .filter(({ parent }) => parent === null || !connections.has(parent))
    .map((stored) => {
      const { kind, path } = stored;
      const below = kind === 'connection' ? unlisted.filter(({ parent }) => parent === path) : [];
      const counts = [...Map.groupBy(below, (item) => `${item.kind}s`)].map(([field, { length }]) => ({
        ...{ field, from: length, to: null },
      }));
      return { stored, step: { action: 'remove' as const, kind, path, changes: counts } };
    })
    .toReversed();
}

/** An account has one connection to an organization, so a connection without a name of its own is known by that too. */
function findStored(
  wanted: ConfigItem,
  candidates: readonly StoredItem[],
  wantedItems: readonly ConfigItem[],
): StoredItem | null {
  const named = candidates.find(({ name }) => name === wanted.name);
  if (named !== undefined || wanted.kind !== 'connection') return named ?? null;
  const organization = candidates.find(
    ({ fields }) =>
      fields['crm'] === wanted.fields['crm'] &&
      isSameOrganization(
        String(fields['crm']),
        String(fields['organizationId']),
        String(wanted.fields['organizationId']),
      ),
  );
  if (organization === undefined) return null;
  const isListed = wantedItems.some(({ kind, path }) => kind === 'connection' && path === organization.path);
  if (isListed) throw conflict(`${wanted.path}: ${organization.path} is the connection to this organization already`);
  return organization;
}

function consentOf({ fields }: ConfigItem): string {
  return `svc-server connections connect ${String(fields['crm']).toLowerCase()} --account ID, then repeat the command; or give it a token: env:VARIABLE`;
}

/** What a change of a secret shows. */
const HIDDEN = '(secret)';

function creationOf({ kind, path, fields, secret }: ConfigItem): ConfigStep {
  const isMissing =
    secret === null &&
    (kind === 'sequencer-key' ||
      kind === 'webhook' ||
      (kind === 'blocklist' && fields['key'] === null) ||
      (kind === 'source' && fields['secret'] !== null));
  if (isMissing) throw invalidInput(`${path}: a new ${kind} needs its secret: env:VARIABLE or file:PATH`);
  const changes = Object.entries(fields).map(([field, to]) => ({ field, from: null, to }));
  const shown = changes.filter(({ to }) => to !== null && to !== '' && !(Array.isArray(to) && to.length === 0));
  return {
    ...{ action: 'create', kind, path },
    changes: secret === null ? shown : [...shown, { field: 'secret value', from: null, to: HIDDEN }],
  };
}

function changeOf(wanted: ConfigItem, stored: StoredItem): ConfigStep | null {
  const { kind, path } = wanted;
  const changes = Object.entries(wanted.fields).flatMap(([field, to]) => {
    const from = stored.fields[field] ?? null;
    return isSameField(kind, field, from, to, wanted) ? [] : [{ field, from, to }];
  });
  const fixed = changes.find(({ field }) => FIXED[kind]?.includes(field));
  if (fixed !== undefined) {
    throw conflict(
      `${path}: ${fixed.field} of a ${kind} never changes. Give the new one another name, and remove the old one.`,
    );
  }
  if (stored.name !== wanted.name) changes.unshift({ field: 'name', from: stored.name, to: wanted.name });
  const isSecretNew = wanted.secret !== null && !isSameSecret(wanted.secret, stored.secret);
  const isCheckNew = changes.some(({ field, to }) => field === 'secret' && to !== null);
  const loses = kind === 'blocklist' && wanted.fields['key'] === null && stored.fields['key'] !== null;
  if ((isCheckNew || loses) && wanted.secret === null) {
    throw invalidInput(`${path}: needs its secret for this change: env:VARIABLE or file:PATH`);
  }
  if (isSecretNew) changes.push({ field: 'secret value', from: HIDDEN, to: HIDDEN });
  return changes.length === 0 ? null : { action: 'update', kind, path, changes };
}

function isSameField(kind: string, field: string, from: unknown, to: unknown, { fields }: ConfigItem): boolean {
  if (kind === 'connection' && field === 'organizationId') {
    return isSameOrganization(String(fields['crm']), String(from), String(to));
  }
  // What a file leaves out is stored as null, or not at all.
  return isDeepStrictEqual(JSON.parse(JSON.stringify(from)), JSON.parse(JSON.stringify(to)));
}

function isSameSecret(one: string, other: string | null): boolean {
  if (other === null) return false;
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** Names the steps with the state that they start from. New secrets are not in it, so that it tells nothing about them. */
function planId(items: readonly PlannedItem[], removals: readonly PlannedRemoval[]): string {
  const basis = [...items, ...removals].map(({ step, stored }) => [
    ...[step, stored?.row.id ?? null, stored?.row.sealed ?? null],
  ]);
  return createHash('sha256').update(JSON.stringify(basis, sortKeys)).digest('hex').slice(0, 16);
}

/** The order of keys in stored JSON says nothing. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
