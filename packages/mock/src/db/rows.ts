/**
 * Rows of a world, made, changed and deleted by a test: checked like those of a world file, so that no test goes on with data
 * that the service could not have. Each call is one change of the world.
 */
import type { DbKind, DbRows } from '../generated/row-types.ts';
import { randomBytes } from '../state/random.ts';
import { addJob, firstJobsOf, type Job, removeJob, type WorldData } from '../state/world-data.ts';
import { update, type World } from '../state/world.ts';
import { DEFAULTS } from './defaults.ts';
import { assertNothingDangles, assertOwn, assertSound, assertUnique, parseRow } from './row-checks.ts';
import { findRowOf, type RowId, withChangedRow, withoutRow, withRow } from './row-lists.ts';
import { RowError } from './types.ts';

/**
 * Adds a row; what `values` leaves out gets its default.
 *
 * @throws RowError when it has not the form of its kind, or names what is not there
 */
export function insertRow<Kind extends DbKind>(
  world: World,
  kind: Kind,
  values: Partial<DbRows[Kind]>,
  now: Date,
): DbRows[Kind] {
  return explained(kind, 'create', () => {
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
    assertOwn(world, kind, row);
    assertSound(data, kind, row);
    update(world, { data: withWork(data, withRow(data, kind, row), { kind, id: row.id, now }) });
    return row;
  });
}

/**
 * Changes fields of a row. What other rows know it by stays: its id, and whose it is.
 *
 * @returns the row as it is then; null when there is none of that id
 * @throws RowError as `insertRow`
 */
export function updateRow<Kind extends DbKind>(
  world: World,
  kind: Kind,
  id: RowId<Kind>,
  changes: Partial<DbRows[Kind]>,
  now: Date,
): DbRows[Kind] | null {
  return explained(kind, `update of ${id}`, () => {
    const { data } = world.state;
    const row = findRowOf(data, kind, id);
    if (row === null) return null;
    const changed = parseRow(kind, { ...row, ...changes }, world.branding);
    const fixed = FIXED[kind].find((field) => Reflect.get(row, field) !== Reflect.get(changed, field));
    if (fixed !== undefined) throw new RowError(`${fixed}: cannot be changed; create another row instead`);
    assertUnique(data, kind, changed, { isNew: false });
    assertOwn(world, kind, changed);
    assertSound(data, kind, changed);
    update(world, { data: withWork(data, withChangedRow(data, kind, changed), { kind, id, now }) });
    return changed;
  });
}

/**
 * Deletes rows, with the work that was due for them.
 *
 * @throws RowError when a row that stays names one of them; then all of them stay
 */
export function deleteRows<Kind extends DbKind>(world: World, kind: Kind, ids: readonly RowId<Kind>[]): void {
  if (ids.length === 0) return;
  explained(kind, ids.length === 1 ? `delete of ${ids[0]}` : 'delete', () => {
    let { data } = world.state;
    for (const id of ids) data = withoutWork(withoutRow(data, kind, id), kind, id);
    data = withoutHealth(data);
    if (IS_NAMED[kind]) assertNothingDangles(data);
    update(world, { data });
  });
}

const IS_NAMED: Readonly<Record<DbKind, boolean>> = {
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

const FIXED: Readonly<Record<DbKind, readonly string[]>> = {
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

/** The attempt that a webhook delivery waits for is a job, and so is what the pipeline does next with a block list. */
function withWork(before: WorldData, after: WorldData, row: WrittenRow): WorldData {
  if (row.kind === 'webhookDeliveries') return withAttempt(after, String(row.id));
  return row.kind === 'blocklists' ? withPipeline(before, after, row) : after;
}

function withAttempt(data: WorldData, deliveryId: string): WorldData {
  const rest = withoutWork(data, 'webhookDeliveries', deliveryId);
  const nextAttemptAt = findRowOf(data, 'webhookDeliveries', deliveryId)?.nextAttemptAt ?? null;
  return nextAttemptAt === null ? rest : addJob(rest, { kind: 'deliver-webhook', deliveryId }, nextAttemptAt);
}

/** A list goes on as one of a world that is loaded now, when it is new or was put into another status. */
function withPipeline(before: WorldData, after: WorldData, { id, now }: WrittenRow): WorldData {
  const [was, is] = [before, after].map(({ blocklists }) => blocklists.find((list) => list.id === id));
  if (is === undefined || (was?.status === is.status && was.isEnabled === is.isEnabled)) return after;
  const jobs = firstJobsOf({ ...is, hasActiveFetchJob: is.status === 'FETCHING' }, now);
  return jobs.reduce((data, { dueAt, ...work }) => addJob(data, work, dueAt), withoutWork(after, 'blocklists', is.id));
}

function withoutWork(data: WorldData, kind: DbKind, id: number | string): WorldData {
  return data.jobs.filter((job) => isWorkOf(job, kind, id)).reduce(removeJob, data);
}

function isWorkOf(job: Job, kind: DbKind, id: number | string): boolean {
  switch (job.kind) {
    case 'write-crm':
      return (kind === 'requests' && job.requestId === id) || (kind === 'sources' && job.sourceId === id);
    case 'retry-sync':
      return kind === 'syncs' && job.syncId === id;
    case 'replay-delivery':
      return kind === 'deliveries' && job.deliveryId === id;
    case 'process-request':
      return kind === 'requests' && job.requestId === id;
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

/** What is remembered of sources and connections goes with them. */
function withoutHealth(data: WorldData): WorldData {
  const sources = new Set(data.sources.map(({ id }) => id));
  const connections = new Set(data.connections.map(({ id }) => id));
  return {
    ...data,
    syncHealth: data.syncHealth.filter((row) => sources.has(row.sourceId) && connections.has(row.connectionId)),
    categorySignals: data.categorySignals.filter(({ connectionId }) => connections.has(connectionId)),
  };
}

function explained<Result>(kind: DbKind, action: string, run: () => Result): Result {
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
