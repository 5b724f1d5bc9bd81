/**
 * Reads the rows of a table that may name a person, and writes what is decided about them. Each statement reads and writes
 * a bounded number of bytes, because the embedded database answers nobody else meanwhile.
 */
import { setImmediate } from 'node:timers/promises';
import { type Database, type Db, DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { ERASED } from '@svc/engine/store/erased';
import { isWaitingSql } from '@svc/engine/store/receipts';
import { CONSEQUENCES, type Finding, type Row, type RowErasure, type Table } from './erasure-steps.ts';
import { ESCAPED_LETTER, type PersonSearch } from './person-search.ts';

/** Pages of a table whose rows are measured at once: nothing is read that is stored outside of them. */
const PAGES_AT_ONCE = 256;
const PAGE_MAX = 4_294_967_294;
/** Bytes that a statement reads. The row that exceeds it is its last one. */
export const BYTES_AT_ONCE = 256 * 1024;
/** So that a statement has some thousand rows at most. */
const ROW_BYTES = 64;
/** Larger rows are few, and cost less to read than to search in SQL. */
const SEARCHED_BYTES_MAX = 32 * 1024;
/** JSON has no cheap length. Stored JSON that is compressed has usually less than this many times its bytes, and never more than 90 or 255 times. */
const COMPRESSION = 10;
const ROWS_WRITTEN_AT_ONCE = 50;

export interface RowFailure {
  table: string;
  /** Its id, or where it is when it has none. */
  row: string;
  reason: string;
}

/** Rows that lie beside each other. */
interface Chunk {
  first: string;
  last: string;
  rows: number;
}

export interface ErasedRow {
  row: Row;
  erasure: RowErasure;
}

export interface ErasureFinding extends Finding {
  rows: number;
}

/** Rows of all pages and partitions of a table. */
export class FindingCounts {
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

/** What one pass over the tables has found and done. */
export class Pass {
  readonly erased = new FindingCounts();
  readonly kept = new FindingCounts();
  readonly failures: RowFailure[] = [];
  deletedJobs = 0;
  /** Those of them that a worker was running. */
  runningJobs = 0;
  /** Rows were changed by others, or months of logs were made or dropped, so that some may not have been read. */
  haveRowsMoved = false;

  fail({ name: table }: Table, { id, place }: Pick<Row, 'id' | 'place'>, error: unknown): void {
    this.failures.push({
      ...{ table, row: String(id ?? place) },
      reason: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Which rows are read. */
interface RowScope {
  person: PersonSearch;
  accountId: number | null;
  /** SQL that is true for rows `t` of the account (`ownedBy`). */
  owned: string;
  now: Date;
}

export class TableRows {
  readonly #db: Database;
  readonly #table: Table;
  readonly #scope: RowScope;
  readonly #pass: Pass;
  readonly #texts: { name: string; text: string; bytes: string }[];
  /** SQL for the bytes that are read of a row. */
  readonly #bytes: string;

  constructor(db: Database, table: Table, scope: RowScope, pass: Pass) {
    this.#db = db;
    this.#table = table;
    this.#scope = scope;
    this.#pass = pass;
    this.#texts = table.columns.flatMap(textOf);
    this.#bytes = this.#texts.map(({ bytes }) => `coalesce(${bytes}, 0)`).join(' + ');
  }

  /** Yields all rows that may name the person. A row that cannot be read is reported, and the others go on. */
  async *candidates(): AsyncGenerator<Row[]> {
    if (this.#texts.length === 0) return;
    for (let page = 0; page === 0 || page < this.#table.pages; page += PAGES_AT_ONCE) {
      const end = page + PAGES_AT_ONCE < this.#table.pages ? page + PAGES_AT_ONCE : PAGE_MAX;
      for (const chunk of await this.#measure(`(${page},0)`, `(${end},0)`)) {
        yield await this.#read(chunk);
        await setImmediate();
      }
    }
  }

  async #measure(begin: string, end: string): Promise<Chunk[]> {
    const { rows } = await this.#db.query<Chunk>(
      `with measured as (
          select t.ctid as place, ${ROW_BYTES} + ${this.#bytes} as bytes from ${this.#table.partition} t
          where t.ctid >= $2::tid and t.ctid < $3::tid and ${this.#scope.owned}
        ), placed as (
          select place, sum(bytes) over (order by place) - bytes as bytes_before from measured
        )
        select min(place)::text as first, max(place)::text as last, count(*)::integer as rows
        from placed group by floor(bytes_before / ${BYTES_AT_ONCE}) order by min(place)`,
      [this.#scope.accountId, begin, end],
    );
    return rows;
  }

  async #read(chunk: Chunk): Promise<Row[]> {
    try {
      return await this.#select(chunk);
    } catch (error) {
      await this.#assertRowError(error);
      if (chunk.rows === 1) {
        this.#pass.fail(this.#table, { id: null, place: chunk.first }, error);
        return [];
      }
    }
    const { rows: places } = await this.#db.query<{ place: string }>(
      `select t.ctid::text as place from ${this.#table.partition} t
        where t.ctid >= $2::tid and t.ctid <= $3::tid and ${this.#scope.owned} order by t.ctid`,
      [this.#scope.accountId, chunk.first, chunk.last],
    );
    const read: Row[] = [];
    for (const { place } of places) read.push(...(await this.#read({ first: place, last: place, rows: 1 })));
    return read;
  }

  async #select({ first, last }: Chunk): Promise<Row[]> {
    const { name, partition, columns } = this.#table;
    const isReceipts = name === 'requests';
    const searched = this.#texts.map(({ name: column, text }) =>
      column === 'body' ? `encode(${text}, 'escape')` : text,
    );
    // Evaluated once for each row, because it is in a subquery that is not merged into the outer one.
    const matches = `(select p.text like any($4::text[]) or p.text ~ $5
      from (select lower(concat_ws(' ', ${searched.join(', ')}${isReceipts ? `, array_to_string(r.recipients, ' ')` : ''}) collate "C") as text offset 0) p)`;
    const { rows } = await this.#db.query<Selected>(
      `select t.ctid::text as "#place", t.xmin::text as "#version",
          ${columns.some((column) => column.name === 'id') ? 't.id' : 'null'} as "#id",
          ${isReceipts ? 'r.recipients' : 'null::text[]'} as "#recipients",
          ${isReceipts ? isWaitingSql('t') : 'false'} as "#isWaiting",
          ${this.#texts.map(({ name: column, text }) => `${text} as "${column}"`).join(', ')}
        from ${partition} t ${isReceipts ? RECIPIENTS : ''}
        where t.ctid >= $2::tid and t.ctid <= $3::tid and ${this.#scope.owned}
          and (case when ${this.#bytes} > ${SEARCHED_BYTES_MAX} then true else ${matches} end
            ${isReceipts ? `or '${ERASED}' = any(r.recipients)` : ''})`,
      [this.#scope.accountId, first, last, this.#scope.person.hints, ESCAPED_LETTER],
    );
    return rows.map(toRow);
  }

  /** Writes what was decided, unless a row has changed meanwhile. A row that cannot be written is reported, and the others go on. */
  async write(erased: readonly ErasedRow[]): Promise<void> {
    const groups = Map.groupBy(erased, ({ erasure: { whats, change } }) =>
      JSON.stringify([whats, change === 'delete' ? change : Object.keys(change).toSorted()]),
    );
    for (const group of groups.values()) {
      for (let begin = 0; begin < group.length; begin += ROWS_WRITTEN_AT_ONCE) {
        await this.#writeTogether(group.slice(begin, begin + ROWS_WRITTEN_AT_ONCE));
        await setImmediate();
      }
    }
  }

  async #writeTogether(group: readonly ErasedRow[]): Promise<void> {
    try {
      await this.#writeGroup(group);
    } catch (error) {
      await this.#assertRowError(error);
      const [first] = group;
      if (first !== undefined && group.length === 1) this.#pass.fail(this.#table, first.row, error);
      else for (const each of group) await this.#writeTogether([each]);
    }
  }

  /** @param group rows in which the same texts were found, and whose same columns change */
  async #writeGroup(group: readonly ErasedRow[]): Promise<void> {
    const whats = group[0]?.erasure.whats ?? [];
    const { name: table } = this.#table;
    const consequences = whats.map((what) => CONSEQUENCES[what] ?? CONSEQUENCES[`${table} ${what}`]).find(Boolean);
    const { text, values } = this.#statement(group);
    const ids = group.map(({ row }) => row.id);
    const run = async (db: Db) => {
      const more = consequences?.more;
      const waiting = consequences?.waiting;
      const taken = waiting === undefined ? 0 : (await db.query(waiting.text, [ids])).rowCount;
      // Before the rows, as when something is removed: a worker that runs one loses it and rolls back, or has committed before.
      const deleted = consequences === undefined ? [] : await deleteJobs(db, consequences.jobs, ids);
      const ended = more === undefined ? 0 : (await db.query(more.text, [ids, this.#scope.now])).rowCount;
      return { deleted, waiting, taken, more, ended, written: (await db.query(text, values)).rowCount };
    };
    const { deleted, waiting, taken, more, ended, written } = await (consequences === undefined
      ? run(this.#db)
      : this.#db.transaction(run));
    for (const what of whats) this.#pass.erased.add({ table, what }, written);
    if (waiting !== undefined) this.#pass.erased.add(waiting, taken);
    if (more !== undefined) this.#pass.erased.add(more, ended);
    this.#pass.deletedJobs += deleted.length;
    this.#pass.runningJobs += deleted.filter(({ isRunning }) => isRunning).length;
    if (written < group.length) this.#pass.haveRowsMoved = true;
  }

  #statement(group: readonly ErasedRow[]): { text: string; values: unknown[] } {
    const { partition, columns } = this.#table;
    const change = group[0]?.erasure.change ?? {};
    const names = change === 'delete' ? [] : Object.keys(change);
    const same = 't.ctid = v.place::tid and t.xmin::text = v.version';
    const list = ['place', 'version', ...names.map((_name, index) => `value${index}`)];
    const rows = `unnest(${list.map((_name, index) => `$${index + 1}::text[]`).join(', ')}) as v (${list.join(', ')})`;
    const typeOf = (name: string) => columns.find((column) => column.name === name)?.type ?? 'text';
    const set = names.map((name, index) => `${name} = v.value${index}::${typeOf(name)}`).join(', ');
    return {
      text:
        change === 'delete'
          ? `delete from ${partition} t using ${rows} where ${same}`
          : `update ${partition} t set ${set} from ${rows} where ${same}`,
      values: [
        group.map(({ row }) => row.place),
        group.map(({ row }) => row.version),
        ...names.map((name) =>
          group.map(({ erasure }) => (erasure.change === 'delete' ? null : (erasure.change[name] ?? null))),
        ),
      ],
    };
  }

  /** @throws the error, when not a row is to blame */
  async #assertRowError(error: unknown): Promise<void> {
    if (error instanceof DatabaseUnavailableError || (await isGone(this.#db, this.#table))) throw error;
  }
}

/** @param jobs SQL that selects their kinds and refs; @returns how many waited */
async function deleteJobs(tx: Db, jobs: string, ids: readonly unknown[]): Promise<{ isRunning: boolean }[]> {
  const { rows } = await tx.query<{ isRunning: boolean }>(
    `with locked as materialized (
        select id from jobs where (kind, ref) in (${jobs}) order by id for update
      ), forgotten as (
        delete from set_aside_jobs where (kind, ref) in (${jobs})
      )
      delete from jobs using locked where jobs.id = locked.id returning jobs.is_leased as "isRunning"`,
    [ids],
  );
  return rows;
}

/** A month of a log that was dropped for its age while it was read. */
export async function isGone(db: Db, { partition }: Table): Promise<boolean> {
  const { rows } = await db.query<{ isGone: boolean }>('select to_regclass($1) is null as "isGone"', [partition]);
  return rows[0]?.isGone === true;
}

type Selected = Record<string, string | number | boolean | Buffer | string[] | null>;

/** The people whom the events of a receipt are about; also of the events that it repeated. */
const RECIPIENTS = `cross join lateral (
    select array_agg(distinct identity) as recipients from (
      select e.to_email, e.normalized from inbound_events e where e.request_id = t.id
      union all
      select e.to_email, e.normalized from inbound_events e where e.id = any(t.repeated_event_ids)
    ) e, lateral (values (e.to_email), (e.normalized #>> '{contact,email}'), (e.normalized #>> '{contact,profileUrl}')) as known (identity)
    where t.body is not null and identity is not null
  ) r`;

function textOf({ name, type }: Table['columns'][number]): { name: string; text: string; bytes: string }[] {
  const column = `t.${name}`;
  const stored = `pg_column_size(${column}) * case when pg_column_compression(${column}) is null then 1 else ${COMPRESSION} end`;
  switch (type) {
    case 'text':
    case 'varchar':
    case 'bpchar':
    case 'name':
      return [{ name, text: `${column}::text`, bytes: `octet_length(${column}::text)` }];
    case 'json':
    case 'jsonb':
      return [{ name, text: `${column}::text`, bytes: stored }];
    case '_text':
    case '_varchar':
      return [{ name, text: `to_json(${column})::text`, bytes: stored }];
    case 'bytea':
      // Others are hashes.
      return name === 'body' ? [{ name, text: column, bytes: `octet_length(${column})` }] : [];
    default:
      return [];
  }
}

function toRow({
  '#place': place,
  '#version': version,
  '#id': id,
  '#recipients': recipients,
  '#isWaiting': isWaiting,
  ...columns
}: Selected): Row {
  return {
    place: String(place),
    version: String(version),
    id: typeof id === 'number' ? id : null,
    recipients: Array.isArray(recipients) ? recipients : null,
    isWaiting: isWaiting === true,
    texts: Object.fromEntries(
      Object.entries(columns).map(([name, value]) => [name, value === null ? null : String(value)]),
    ),
  };
}
