/**
 * Inserts, updates and deletes rows of a world, checked by the rules of world files. Each call is one change of the world.
 */
import type { DbKind, DbRows } from '../generated/row-types.ts';
import { randomBytes } from '../state/random.ts';
import { addJob, firstJobsOf, type Job, removeJob, type WorldData } from '../state/world-data.ts';
import { update, type World } from '../state/world.ts';
import { DEFAULTS } from './defaults.ts';
import {
  assertConsistent,
  assertReferencesExist,
  assertUnique,
  assertUniqueAmongWorlds,
  parseRow,
} from './row-checks.ts';
import { findRowOf, type RowId, withChangedRow, withoutRow, withRow } from './row-lists.ts';
import { RowError } from './types.ts';

/**
 * Adds a row; omitted fields get defaults.
 *
 * @throws RowError when a field is invalid or refers to a missing row
 */
export function insertRow<Kind extends DbKind>(
  world: World,
  kind: Kind,
  values: Partial<DbRows[Kind]>,
  now: Date,
): DbRows[Kind] {
  return withErrorContext(kind, 'create', () => {
    const given = withoutUndefined(values);
    const bytes = (count: number) => randomBytes(world, count);
    const defaults = DEFAULTS[kind](given, {
      worldId: world.id,
      branding: world.branding,
      data: world.state.data,
      now,
      randomBytes: bytes,
    });
    const row = parseRow(kind, { ...defaults, ...given }, world.branding);
    const { data } = world.state;
    assertUnique(data, kind, row, { isNew: true });
    assertUniqueAmongWorlds(world, kind, row);
    assertConsistent(data, kind, row);
    update(world, { data: withJobs(data, withRow(data, kind, row), { kind, id: row.id, now }) });
    return row;
  });
}

/**
 * Changes fields of a row. Its id and the ids of its owner cannot be changed.
 *
 * @returns the changed row; null when it does not exist
 * @throws RowError when a field is invalid or refers to a missing row
 */
export function updateRow<Kind extends DbKind>(
  world: World,
  kind: Kind,
  id: RowId<Kind>,
  changes: Partial<DbRows[Kind]>,
  now: Date,
): DbRows[Kind] | null {
  return withErrorContext(kind, `update of ${id}`, () => {
    const { data } = world.state;
    const row = findRowOf(data, kind, id);
    if (row === null) return null;
    const changed = parseRow(kind, { ...row, ...changes }, world.branding);
    const fixed = FIXED_FIELDS[kind].find((field) => Reflect.get(row, field) !== Reflect.get(changed, field));
    if (fixed !== undefined) throw new RowError(`${fixed}: cannot be changed; create another row instead`);
    assertUnique(data, kind, changed, { isNew: false });
    assertUniqueAmongWorlds(world, kind, changed);
    assertConsistent(data, kind, changed);
    update(world, { data: withJobs(data, withChangedRow(data, kind, changed), { kind, id, now }) });
    return changed;
  });
}

/**
 * Deletes rows and their jobs.
 *
 * @throws RowError when a remaining row refers to one of them; then none is deleted
 */
export function deleteRows<Kind extends DbKind>(world: World, kind: Kind, ids: readonly RowId<Kind>[]): void {
  if (ids.length === 0) return;
  withErrorContext(kind, ids.length === 1 ? `delete of ${ids[0]}` : 'delete', () => {
    let { data } = world.state;
    for (const id of ids) data = withoutJobs(withoutRow(data, kind, id), kind, id);
    data = withoutDerivedRows(data);
    if (IS_REFERRED_TO[kind]) assertReferencesExist(data);
    update(world, { data });
  });
}

const IS_REFERRED_TO: Readonly<Record<DbKind, boolean>> = {
  accounts: true,
  apiKeys: false,
  connections: true,
  sources: true,
  destinations: true,
  replyRelays: false,
  blocklists: false,
  webhooks: true,
  requests: true,
  syncs: false,
  deliveries: false,
  events: true,
  webhookDeliveries: true,
};

const FIXED_FIELDS: Readonly<Record<DbKind, readonly string[]>> = {
  accounts: ['id'],
  apiKeys: ['id'],
  connections: ['id', 'accountId'],
  sources: ['id', 'connectionId'],
  destinations: ['id', 'connectionId'],
  replyRelays: ['id'],
  blocklists: ['id'],
  webhooks: ['id', 'accountId'],
  requests: ['id', 'accountId'],
  syncs: ['id'],
  deliveries: ['id'],
  events: ['id', 'accountId'],
  webhookDeliveries: ['id', 'eventId', 'webhookId'],
};

interface WrittenRow {
  readonly kind: DbKind;
  readonly id: number | string;
  readonly now: Date;
}

/** Updates the jobs of a written row: a webhook delivery's next attempt, a block list's next step. */
function withJobs(before: WorldData, after: WorldData, row: WrittenRow): WorldData {
  if (row.kind === 'webhookDeliveries') return withAttempt(after, String(row.id));
  return row.kind === 'blocklists' ? withPipeline(before, after, row) : after;
}

function withAttempt(data: WorldData, deliveryId: string): WorldData {
  const rest = withoutJobs(data, 'webhookDeliveries', deliveryId);
  const nextAttemptAt = findRowOf(data, 'webhookDeliveries', deliveryId)?.nextAttemptAt ?? null;
  return nextAttemptAt === null ? rest : addJob(rest, { kind: 'deliver-webhook', deliveryId }, nextAttemptAt);
}

/** Gives a new block list, or one with a new status, the jobs of a list that is loaded from a world file now. */
function withPipeline(before: WorldData, after: WorldData, { id, now }: WrittenRow): WorldData {
  const [was, is] = [before, after].map(({ blocklists }) => blocklists.find((list) => list.id === id));
  if (is === undefined || (was?.status === is.status && was.isEnabled === is.isEnabled)) return after;
  const jobs = firstJobsOf({ ...is, hasActiveFetchJob: is.status === 'FETCHING' }, now);
  return jobs.reduce((data, { dueAt, ...work }) => addJob(data, work, dueAt), withoutJobs(after, 'blocklists', is.id));
}

function withoutJobs(data: WorldData, kind: DbKind, id: number | string): WorldData {
  return data.jobs.filter((job) => isJobOf(job, kind, id)).reduce(removeJob, data);
}

function isJobOf(job: Job, kind: DbKind, id: number | string): boolean {
  switch (job.kind) {
    case 'write-crm':
      return (kind === 'requests' && job.requestId === id) || (kind === 'sources' && job.sourceId === id);
    case 'retry-sync':
      return kind === 'syncs' && job.syncId === id;
    case 'replay-delivery':
      return kind === 'deliveries' && job.deliveryId === id;
    case 'process-request':
      return kind === 'requests' && job.requestId === id;
    case 'relay-reply':
      return kind === 'requests' && job.requestId === id;
    case 'relay-digest':
      return false;
    case 'forward-event':
      return (kind === 'requests' && job.requestId === id) || (kind === 'destinations' && job.destinationId === id);
    case 'fetch-blocklist':
    case 'push-blocklist':
    case 'top-up-blocklist':
      return kind === 'blocklists' && job.blocklistId === id;
    case 'deliver-webhook':
      return kind === 'webhookDeliveries' && job.deliveryId === id;
  }
}

/** Removes sync health and category signals of deleted sources and connections. */
function withoutDerivedRows(data: WorldData): WorldData {
  const sources = new Set(data.sources.map(({ id }) => id));
  const connections = new Set(data.connections.map(({ id }) => id));
  return {
    ...data,
    syncHealth: data.syncHealth.filter((row) => sources.has(row.sourceId) && connections.has(row.connectionId)),
    categorySignals: data.categorySignals.filter(({ connectionId }) => connections.has(connectionId)),
  };
}

function withErrorContext<Result>(kind: DbKind, action: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof RowError) throw new RowError(`mock.db.${kind}, ${action}: ${error.message}`);
    throw error;
  }
}

function withoutUndefined<Values extends object>(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
}
