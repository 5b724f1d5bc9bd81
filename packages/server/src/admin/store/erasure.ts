/**
 * Finds and erases what the database has of a person. Every table is read to its end in ranges of its pages, each with
 * short statements of its own: nothing depends on an index, on a column that a later release adds, or on where an
 * earlier call stopped.
 */
import type { Database, Db } from '../../store/database/db.ts';
import { type Finding, ownedBy, reasonToKeep, type Step, stepsOf, type Table, WAITING } from './erasure-steps.ts';
import type { PersonPatterns } from './person-patterns.ts';

export interface ErasureScope {
  patterns: PersonPatterns;
  /** Only what belongs to this account. Null: everything. */
  accountId: number | null;
  now: Date;
}

export interface ErasureFinding extends Finding {
  rows: number;
}

export interface ErasureResult {
  /** Rows that were changed or deleted, or would be. */
  erased: ErasureFinding[];
  /** Rows that still hold the identity, and why. */
  kept: (ErasureFinding & { why: string })[];
  /** Receipts that hold it and were not processed yet. */
  waitingRequests: number;
  /** Jobs that were deleted. */
  deletedJobs: number;
  /** Other addresses and profile URLs of the events about the person. */
  otherIdentities: string[];
}

/** Pages of one statement, which the embedded database waits for. Payloads are stored outside of the pages of their table. */
const pagesAtOnce = (table: string) => (table === 'requests' ? 32 : 256);
const PAGE_MAX = 4_294_967_294;
/** An erasure ends after so many passes, also when events of the person keep arriving; the caller can call again. */
const PASSES_MAX = 5;
const OTHER_IDENTITIES_MAX = 20;

/** The person in a statement that also reads the table `t`. */
const PERSON = '(select $1::text as within, $2::text[] as hints, $3::bigint as account_id) p';

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
  for (let passes = 1; ; passes += 1) {
    const pass = await readTables(db, scope, { isDryRun, identities });
    for (const each of pass.erased.list()) erased.add(each, each.rows);
    deletedJobs += pass.deletedJobs;
    const hasMore = !isDryRun && (pass.haveTablesChanged || pass.erased.list().length > 0);
    if (hasMore && passes < PASSES_MAX) continue;
    const kept = pass.kept.list();
    return {
      erased: erased.list(),
      kept: kept
        .filter(({ what }) => what !== WAITING)
        .map((finding) => ({ ...finding, why: reasonToKeep(finding.table) })),
      waitingRequests: kept.find(({ what }) => what === WAITING)?.rows ?? 0,
      deletedJobs,
      otherIdentities: [...identities].slice(0, OTHER_IDENTITIES_MAX),
    };
  }
}

interface Pass {
  erased: FindingCounts;
  kept: FindingCounts;
  deletedJobs: number;
  /** Months of logs were made or dropped, so rows may have moved to a table that was not read. */
  haveTablesChanged: boolean;
}

async function readTables(
  db: Database,
  scope: ErasureScope,
  options: { isDryRun: boolean; identities: Set<string> },
): Promise<Pass> {
  const pass: Pass = {
    erased: new FindingCounts(),
    kept: new FindingCounts(),
    deletedJobs: 0,
    haveTablesChanged: false,
  };
  const tables = await listTables(db);
  for (const table of tables) {
    try {
      await readTable(db, table, { ...scope, ...options, pass });
    } catch (error) {
      if (!(await isGone(db, table))) throw error;
    }
  }
  const names = (list: readonly Table[]) => list.map(({ partition }) => partition).join(' ');
  pass.haveTablesChanged = names(tables) !== names(await listTables(db));
  return pass;
}

/** A month of a log that was dropped for its age while it was read. */
async function isGone(db: Db, { partition }: Table): Promise<boolean> {
  const { rows } = await db.query<{ isGone: boolean }>('select to_regclass($1) is null as "isGone"', [partition]);
  return rows[0]?.isGone === true;
}

async function readTable(
  db: Database,
  table: Table,
  {
    patterns,
    accountId,
    now,
    isDryRun,
    identities,
    pass,
  }: ErasureScope & { isDryRun: boolean; identities: Set<string>; pass: Pass },
): Promise<void> {
  const owned = accountId === null ? 'true' : ownedBy(table);
  if (owned === null) return;
  const steps = stepsOf(table);
  const size = pagesAtOnce(table.name);
  for (let page = 0; page === 0 || page < table.pages; page += size) {
    const end = page + size < table.pages ? page + size : PAGE_MAX;
    const person = [patterns.within, patterns.hints, accountId];
    const range = new RowRange(table, owned, [...person, `(${page},0)`, `(${end},0)`]);
    for (const { step, rows } of await range.count(db, steps)) {
      const finding = { table: table.name, what: step.what };
      if (step.what === 'events') for (const each of await range.identities(db, step)) identities.add(each);
      if (step.change === undefined) pass.kept.add(finding, rows);
      else if (isDryRun) pass.erased.add(finding, rows);
      else pass.deletedJobs += await range.apply(db, step, { now, erased: pass.erased });
    }
  }
}

/** Rows of all pages and partitions of a table. */
class FindingCounts {
  readonly #counts = new Map<string, ErasureFinding>();

  add({ table, what }: Finding, rows: number): void {
    if (rows === 0) return;
    const before = this.#counts.get(`${table} ${what}`)?.rows ?? 0;
    this.#counts.set(`${table} ${what}`, { table, what, rows: before + rows });
  }

  list(): ErasureFinding[] {
    return [...this.#counts.values()];
  }
}

/** The rows of some pages of a table. */
class RowRange {
  readonly #table: Table;
  readonly #where: string;
  readonly #values: readonly unknown[];

  constructor(table: Table, owned: string, values: readonly unknown[]) {
    this.#table = table;
    this.#where = `t.ctid >= $4::tid and t.ctid < $5::tid and ${owned}`;
    this.#values = values;
  }

  /** Returns the steps with rows. */
  async count(db: Db, steps: readonly Step[]): Promise<{ step: Step; rows: number }[]> {
    if (steps.length === 0) return [];
    const columns = steps.map(({ where }, index) => `count(*) filter (where ${where}) as "${index}"`);
    const { rows } = await db.query<Record<string, number>>(
      `select ${columns.join(', ')} from ${this.#table.partition} t, ${PERSON} where ${this.#where}`,
      this.#values,
    );
    return steps.flatMap((step, index) => {
      const count = rows[0]?.[String(index)] ?? 0;
      return count === 0 ? [] : [{ step, rows: count }];
    });
  }

  async identities(db: Db, step: Step): Promise<string[]> {
    const { rows } = await db.query<{ identity: string }>(
      `select distinct identity from ${this.#table.partition} t, ${PERSON}, lateral (values (lower(t.to_email)),
          (lower(t.normalized #>> '{contact,email}')), (lower(t.normalized #>> '{contact,profileUrl}'))) as known (identity)
        where ${this.#where} and ${step.where} and identity !~* p.within limit ${OTHER_IDENTITIES_MAX}`,
      this.#values,
    );
    return rows.map(({ identity }) => identity);
  }

  /** Returns how many jobs were deleted. */
  async apply(
    db: Database,
    { what, where, change, jobs, more = [] }: Step,
    { now, erased }: { now: Date; erased: FindingCounts },
  ): Promise<number> {
    const { name: table, partition } = this.#table;
    const condition = `${this.#where} and (${where})`;
    const text =
      change === 'delete'
        ? `delete from ${partition} t using ${PERSON} where ${condition}`
        : `update ${partition} t set ${change?.set ?? ''} from ${PERSON} where ${condition}`;
    if (jobs === undefined) {
      erased.add({ table, what }, (await db.query(text, this.#values)).rowCount);
      return 0;
    }
    return db.transaction(async (tx) => {
      const found = await tx.query<{ id: number }>(
        `select t.id from ${partition} t, ${PERSON} where ${condition}`,
        this.#values,
      );
      const ids = found.rows.map(({ id }) => id);
      // First, as when something is removed: a worker that runs one loses it and rolls back, or has committed before.
      const deleted = await tx.query(
        `with locked as materialized (
            select id from jobs where (kind, ref) in (${jobs}) order by id for update
          )
          delete from jobs using locked where jobs.id = locked.id`,
        [ids],
      );
      for (const { text: statement, ...finding } of more) {
        erased.add(finding, (await tx.query(statement, [ids, now])).rowCount);
      }
      erased.add(
        { table, what },
        (await tx.query(`${text} and t.id = any($6::bigint[])`, [...this.#values, ids])).rowCount,
      );
      return deleted.rowCount;
    });
  }
}

/** What jobs read comes before what they write. */
const FIRST = ['requests', 'inbound_events', 'syncs', 'deliveries'];

async function listTables(db: Db): Promise<Table[]> {
  const { rows } = await db.query<Table>(
    `select root.relname as name, format('%I.%I', schema.nspname, part.relname) as partition,
        (pg_relation_size(part.oid) / current_setting('block_size')::bigint)::bigint as pages,
        coalesce(json_agg(json_build_object('name', attname, 'type', case
          when typname in ('text', 'varchar', 'bpchar', 'name') then 'text' when typname in ('json', 'jsonb') then 'json'
          when typname in ('_text', '_varchar') then 'array' else 'other' end) order by attnum), '[]') as columns
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
