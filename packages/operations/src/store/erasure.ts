/**
 * Finds and erases what the database has of a person. Every table is read to its end, in short statements: nothing depends
 * on an index, on a column that a later release adds, or on where an earlier call stopped. SQL only leaves out rows that
 * cannot name the person; what is erased is decided row by row, on what the stored texts stand for.
 */
import type { Database, Db } from '@svc/engine/store/database/db';
import {
  type ErasedRow,
  type ErasureFinding,
  FindingCounts,
  isGone,
  Pass,
  type RowFailure,
  TableRows,
} from './erasure-rows.ts';
import { judge, ownedBy, reasonToKeep, type Table, WAITING } from './erasure-steps.ts';
import type { PersonSearch } from './person-search.ts';

export interface ErasureScope {
  person: PersonSearch;
  /** Only what belongs to this account. Null: everything. */
  accountId: number | null;
  now: Date;
}

export interface ErasureResult {
  /** Rows that were changed or deleted, or would be. */
  erased: ErasureFinding[];
  /** Rows that still hold the identity, and why. */
  kept: (ErasureFinding & { why: string })[];
  /** Receipts that hold it and were not processed yet. */
  waitingRequests: number;
  /** Rows that could not be read or changed, and may still hold it. */
  failedRows: number;
  /** The first of them. */
  failures: RowFailure[];
  /** Jobs that were deleted. */
  deletedJobs: number;
  /** Those of them that a worker was running, which may still write what it has read. */
  runningJobs: number;
  /** Other addresses and profile URLs of the events about the person. */
  otherIdentities: string[];
}

/** An erasure ends after so many passes, also when events of the person keep arriving; the caller can call again. */
const PASSES_MAX = 5;
const OTHER_IDENTITIES_MAX = 20;
const FAILURES_MAX = 20;

/**
 * Reads all tables until nothing is left to erase: servers that run move rows behind the page that is read, write new
 * ones, and make and drop months of the logs.
 */
export async function erasePerson(
  db: Database,
  scope: ErasureScope,
  { isDryRun }: { isDryRun: boolean },
): Promise<ErasureResult> {
  const erased = new FindingCounts();
  const identities = new Set<string>();
  let deletedJobs = 0;
  let runningJobs = 0;
  for (let passes = 1; ; passes += 1) {
    const pass = await readTables(db, { ...scope, isDryRun, identities });
    const found = pass.erased.list();
    for (const each of found) erased.add(each, each.rows);
    deletedJobs += pass.deletedJobs;
    runningJobs += pass.runningJobs;
    if (!isDryRun && (pass.haveRowsMoved || found.length > 0) && passes < PASSES_MAX) continue;
    const kept = pass.kept.list();
    return {
      erased: erased.list(),
      kept: kept
        .filter(({ what }) => what !== WAITING)
        .map((finding) => ({ ...finding, why: reasonToKeep(finding.table) })),
      waitingRequests: kept.find(({ what }) => what === WAITING)?.rows ?? 0,
      failedRows: pass.failures.length,
      failures: pass.failures.slice(0, FAILURES_MAX),
      deletedJobs,
      runningJobs,
      otherIdentities: [...identities].slice(0, OTHER_IDENTITIES_MAX),
    };
  }
}

interface PassScope extends ErasureScope {
  isDryRun: boolean;
  identities: Set<string>;
}

async function readTables(db: Database, scope: PassScope): Promise<Pass> {
  const pass = new Pass();
  const tables = await listTables(db);
  for (const table of tables) {
    try {
      await readTable(db, table, scope, pass);
    } catch (error) {
      if (!(await isGone(db, table))) throw error;
    }
  }
  const names = (list: readonly Table[]) => list.map(({ partition }) => partition).join(' ');
  if (names(tables) !== names(await listTables(db))) pass.haveRowsMoved = true;
  return pass;
}

async function readTable(db: Database, table: Table, scope: PassScope, pass: Pass): Promise<void> {
  const { person, accountId, isDryRun, identities } = scope;
  const owned = accountId === null ? '$1::bigint is null' : ownedBy(table);
  if (owned === null) return;
  const rows = new TableRows(db, table, { ...scope, owned }, pass);
  for await (const candidates of rows.candidates()) {
    const erased: ErasedRow[] = [];
    for (const row of candidates) {
      try {
        const { erasure, kept, otherIdentities } = await judge(table, row, person);
        for (const what of kept) pass.kept.add({ table: table.name, what }, 1);
        for (const identity of otherIdentities) identities.add(identity);
        if (erasure !== null) erased.push({ row, erasure });
      } catch (error) {
        pass.fail(table, row, error);
      }
    }
    if (!isDryRun) await rows.write(erased);
    else
      for (const { erasure } of erased)
        for (const what of erasure.whats) pass.erased.add({ table: table.name, what }, 1);
  }
}

/** What jobs read comes before what they write. */
const FIRST = ['requests', 'inbound_events', 'syncs', 'deliveries'];

async function listTables(db: Db): Promise<Table[]> {
  const { rows } = await db.query<Table>(
    `select root.relname as name, format('%I.%I', schema.nspname, part.relname) as partition,
        (pg_relation_size(part.oid) / current_setting('block_size')::bigint)::bigint as pages,
        coalesce(json_agg(json_build_object('name', attname, 'type', typname) order by attnum), '[]') as columns
      from pg_class part
      join pg_namespace schema on schema.oid = part.relnamespace and schema.nspname = current_schema()
      join pg_class root on root.oid = coalesce(pg_partition_root(part.oid), part.oid)
      join pg_attribute on attrelid = part.oid and attnum > 0 and not attisdropped
      join pg_type on pg_type.oid = atttypid
      where part.relkind = 'r'
      group by root.relname, schema.nspname, part.relname, part.oid
      order by coalesce(array_position($1::text[], root.relname::text), 99), root.relname, part.relname`,
    [FIRST],
  );
  return rows;
}
