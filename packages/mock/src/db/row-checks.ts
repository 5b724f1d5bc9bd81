/** Checks of a single row, by the rules of world files. */
import type { Branding } from '@svc/domain/pages/branding';
import { type CheckedWorld, findRowProblems, type WorldIndex } from '@svc/domain/world';
import type * as z from 'zod';
import type { DbKind, DbRows } from '../generated/row-types.ts';
import { allRows, findRow, type Log, type LogRow } from '../state/log.ts';
import { accountsById, connectionsById, destinationsById, sourcesById } from '../state/row-indexes.ts';
import type { WorldData } from '../state/world-data.ts';
import type { World } from '../state/world.ts';
import { findRowOf } from './row-lists.ts';
import { rowSchemasOf } from './row-schemas.ts';
import { RowError } from './types.ts';

/** @throws RowError when a field is missing, unknown or invalid */
export function parseRow<Kind extends DbKind>(kind: Kind, row: object, branding: Branding): DbRows[Kind] {
  const schema: z.ZodType<DbRows[Kind]> = rowSchemasOf(branding)[kind];
  const parsed = schema.safeParse(row);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the row'}: ${message}`);
  throw new RowError(issues.join('; '));
}

/** @throws RowError when the row refers to missing rows or contradicts others */
export function assertConsistent<Kind extends DbKind>(data: WorldData, kind: Kind, row: DbRows[Kind]): void {
  const rows: Partial<CheckedWorld> = { [kind]: [toChecked(row)] };
  // A source has at most one relay, so all relays are checked together.
  const others = data.replyRelays.filter(({ id }) => id !== row.id);
  const [problem] = findRowProblems(
    kind === 'replyRelays' ? { replyRelays: [...others, ...(rows.replyRelays ?? [])] } : rows,
    indexOf(data),
  );
  if (problem !== undefined) throw new RowError(`${fieldOf(problem.path)}: ${problem.message}`);
}

/** @throws RowError when another row has the same id, token or path */
export function assertUnique<Kind extends DbKind>(
  data: WorldData,
  kind: Kind,
  row: DbRows[Kind],
  { isNew }: { readonly isNew: boolean },
): void {
  if (isNew && findRowOf(data, kind, row.id) !== null) throw new RowError(`id: ${row.id} is taken`);
  const [field, rows] = UNIQUE[kind]?.(data) ?? [];
  if (field === undefined) return;
  const value: unknown = Reflect.get(row, field);
  const other = rows?.find(({ id, ...fields }) => id !== row.id && Reflect.get(fields, field) === value);
  if (other !== undefined) throw new RowError(`${field}: ${String(value)} is taken by ${other.id}`);
}

/** @throws RowError when another world has the same token or path, by which calls find their world */
export function assertUniqueAmongWorlds<Kind extends DbKind>({ others }: World, kind: Kind, row: DbRows[Kind]): void {
  for (const { id, state } of others()) {
    const [field, rows] = UNIQUE[kind]?.(state.data) ?? [];
    if (field === undefined) return;
    const value: unknown = Reflect.get(row, field);
    if (rows?.some((other) => Reflect.get(other, field) === value) === true) {
      throw new RowError(`${field}: ${String(value)} is taken in the world ${id}`);
    }
  }
}

const UNIQUE: {
  readonly [Kind in DbKind]?: (data: WorldData) => readonly [field: string, rows: readonly { readonly id: number }[]];
} = {
  apiKeys: (data) => ['token', data.apiKeys],
  sources: (data) => ['path', data.sources],
};

/** @throws RowError when a row refers to a missing row */
export function assertReferencesExist(data: WorldData): void {
  const [problem, ...others] = findRowProblems(everyRow(data), indexOf(data));
  if (problem === undefined) return;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  throw new RowError(
    `another row refers to it (${problem.path}: ${problem.message}${more}); delete or change that row first`,
  );
}

function everyRow(data: WorldData): CheckedWorld {
  return {
    accounts: data.accounts,
    apiKeys: data.apiKeys,
    connections: data.connections,
    sources: data.sources,
    destinations: data.destinations,
    replyRelays: data.replyRelays,
    blocklists: data.blocklists.map((row) => ({ ...row, hasActiveFetchJob: false })),
    requests: allRows(data.requests),
    syncs: allRows(data.syncs),
    deliveries: allRows(data.deliveries),
    categorySignals: data.categorySignals,
    syncHealth: data.syncHealth,
    webhooks: data.webhooks,
    events: allRows(data.events),
    webhookDeliveries: allRows(data.webhookDeliveries),
  };
}

/** Adds the field of world files that rows do not have: a block list's active fetch is a job of the world. */
function toChecked(row: object): never {
  return { ...row, hasActiveFetchJob: false } as never;
}

function indexOf(data: WorldData): WorldIndex {
  return {
    accounts: accountsById(data.accounts),
    connections: connectionsById(data.connections),
    sources: sourcesById(data.sources),
    destinations: destinationsById(data.destinations),
    requests: lookUp(data.requests),
    webhooks: new Map(data.webhooks.map((row) => [row.id, row])),
    events: lookUp(data.events),
    webhookDeliveries: lookUp(data.webhookDeliveries),
  };
}

function lookUp<Row extends LogRow>(log: Log<Row>): Pick<ReadonlyMap<Row['id'], Row>, 'get' | 'has'> {
  return { get: (id) => findRow(log, id) ?? undefined, has: (id) => findRow(log, id) !== null };
}

/** Returns the field of a path: `syncs[0].connectionId` -> `connectionId`. */
function fieldOf(path: string): string {
  return path.slice(path.indexOf('.') + 1);
}
