/**
 * Reads the rows of a table that may name a person, and writes what is decided about them. Each statement reads and writes
 * a bounded number of bytes, because the embedded database answers nobody else meanwhile.
 */
import { setImmediate } from 'node:timers/promises';
import { type Database, type Db, DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { ERASED } from '@svc/engine/store/erased';
import { CONSEQUENCES, type Finding, ownedBy, type Row, type RowErasure, type Table } from './erasure-steps.ts';
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
export interface Chunk {
  first: string;
  last: string;
  rows: number;
}

export interface ErasedRow {
  row: Row;
  erasure: RowErasure;
}

export class TableRows {
  readonly #db: Database;
  readonly #table: Table;
  readonly #person: PersonSearch;
  readonly #accountId: number | null;
  readonly #owned: string;
  readonly #texts: { name: string; text: string; bytes: string }[];
  readonly #fail: (failure: RowFailure) => void;

  /** @returns null when no row of the table belongs to an account, and only one account is erased */
  static of(
    db: Database,
    table: Table,
    {
      person,
      accountId,
      fail,
    }: { person: PersonSearch; accountId: number | null; fail: (failure: RowFailure) => void },
  ): TableRows | null {
    const owned =
      accountId === null
        ? '$1::bigint is null'
        : ownedBy({ name: table.name, columns: table.columns.map(({ name }) => name) });
    return owned === null ? null : new TableRows(db, table, { person, accountId, owned, fail });
  }

  private constructor(
    db: Database,
    table: Table,
    options: {
      person: PersonSearch;
      accountId: number | null;
      owned: string;
      fail: (failure: RowFailure) => void;
    },
  ) {
    this.#db = db;
    this.#table = table;
    this.#person = options.person;
    this.#accountId = options.accountId;
    this.#owned = options.owned;
    this.#fail = options.fail;
    this.#texts = table.columns.flatMap(textOf);
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
    const bytes = `${ROW_BYTES} + ${this.#bytes}`;
    const { rows } = await this.#db.query<Chunk>(
      `with measured as (
          select t.ctid as place, ${bytes} as bytes from ${this.#table.partition} t
          where t.ctid >= $2::tid and t.ctid < $3::tid and ${this.#owned}
        ), placed as (
          select place, sum(bytes) over (order by place) - bytes as bytes_before from measured
        )
        select min(place)::text as first, max(place)::text as last, count(*)::integer as rows
        from placed group by floor(bytes_before / ${BYTES_AT_ONCE}) order by min(place)`,
      [this.#accountId, begin, end],
    );
    return rows;
  }

  get #bytes(): string {
    return this.#texts.map(({ bytes }) => `coalesce(${bytes}, 0)`).join(' + ');
  }

  async #read(chunk: Chunk): Promise<Row[]> {
    try {
      return await this.#select(chunk);
    } catch (error) {
      await this.#assertRowError(error);
      if (chunk.rows === 1) {
        this.#report(chunk.first, error);
        return [];
      }
    }
    const { rows: places } = await this.#db.query<{ place: string }>(
      `select t.ctid::text as place from ${this.#table.partition} t
        where t.ctid >= $2::tid and t.ctid <= $3::tid and ${this.#owned} order by t.ctid`,
      [this.#accountId, chunk.first, chunk.last],
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
    const { rows } = await this.#db.query<Record<string, string | number | Buffer | string[] | null>>(
      `select t.ctid::text as "#place", t.xmin::text as "#version",
          ${columns.some((column) => column.name === 'id') ? 't.id' : 'null'} as "#id",
          ${isReceipts ? 'r.recipients' : 'null::text[]'} as "#recipients",
          ${this.#texts.map(({ name: column, text }) => `${text} as "${column}"`).join(', ')}
        from ${partition} t ${isReceipts ? RECIPIENTS : ''}
        where t.ctid >= $2::tid and t.ctid <= $3::tid and ${this.#owned}
          and (case when ${this.#bytes} > ${SEARCHED_BYTES_MAX} then true else ${matches} end
            ${isReceipts ? `or '${ERASED}' = any(r.recipients)` : ''})`,
      [this.#accountId, first, last, this.#person.hints, ESCAPED_LETTER],
    );
    return rows.map(toRow);
  }

  /** Writes what was decided, unless a row has changed meanwhile. A row that cannot be written is reported, and the others go on. */
  async write(erased: readonly ErasedRow[], now: Date): Promise<Written> {
    const written: Written = { findings: [], deletedJobs: 0, changedMeanwhile: 0 };
    const groups = Map.groupBy(erased, ({ erasure: { whats, change } }) =>
      JSON.stringify([whats, change === 'delete' ? change : Object.keys(change).toSorted()]),
    );
    for (const group of groups.values()) {
      for (let begin = 0; begin < group.length; begin += ROWS_WRITTEN_AT_ONCE) {
        await this.#writeTogether(group.slice(begin, begin + ROWS_WRITTEN_AT_ONCE), now, written);
        await setImmediate();
      }
    }
    return written;
  }

  async #writeTogether(group: readonly ErasedRow[], now: Date, written: Written): Promise<void> {
    try {
      const { findings, deletedJobs, changedMeanwhile } = await this.#writeGroup(group, now);
      written.findings.push(...findings);
      written.deletedJobs += deletedJobs;
      written.changedMeanwhile += changedMeanwhile;
    } catch (error) {
      await this.#assertRowError(error);
      const [first] = group;
      if (first !== undefined && group.length === 1) this.#report(String(first.row.id ?? first.row.place), error);
      else for (const each of group) await this.#writeTogether([each], now, written);
    }
  }

  /** @param group rows in which the same texts were found, and whose same columns change */
  async #writeGroup(group: readonly ErasedRow[], now: Date): Promise<Written> {
    const whats = group[0]?.erasure.whats ?? [];
    const { name: table } = this.#table;
    const consequences = whats.map((what) => CONSEQUENCES[what] ?? CONSEQUENCES[`${table} ${what}`]).find(Boolean);
    const { text, values } = this.#statement(group);
    const toWritten = (rowCount: number): Written => ({
      findings: whats.map((what) => ({ table, what, rows: rowCount })),
      deletedJobs: 0,
      changedMeanwhile: group.length - rowCount,
    });
    if (consequences === undefined) return toWritten((await this.#db.query(text, values)).rowCount);
    const ids = group.map(({ row }) => row.id);
    return this.#db.transaction(async (tx) => {
      // First, as when something is removed: a worker that runs one loses it and rolls back, or has committed before.
      const deleted = await tx.query(
        `with locked as materialized (
            select id from jobs where (kind, ref) in (${consequences.jobs}) order by id for update
          ), forgotten as (
            delete from set_aside_jobs where (kind, ref) in (${consequences.jobs})
          )
          delete from jobs using locked where jobs.id = locked.id`,
        [ids],
      );
      const more: Written['findings'] = [];
      for (const { text: statement, ...finding } of consequences.more ?? []) {
        more.push({ ...finding, rows: (await tx.query(statement, [ids, now])).rowCount });
      }
      const written = toWritten((await tx.query(text, values)).rowCount);
      return { ...written, findings: [...written.findings, ...more], deletedJobs: deleted.rowCount };
    });
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

  #report(row: string, error: unknown): void {
    this.#fail({ table: this.#table.name, row, reason: error instanceof Error ? error.message : String(error) });
  }
}

export interface Written {
  findings: (Finding & { rows: number })[];
  deletedJobs: number;
  /** Rows that others changed since they were read: they must be read again. */
  changedMeanwhile: number;
}

/** A month of a log that was dropped for its age while it was read. */
export async function isGone(db: Db, { partition }: Table): Promise<boolean> {
  const { rows } = await db.query<{ isGone: boolean }>('select to_regclass($1) is null as "isGone"', [partition]);
  return rows[0]?.isGone === true;
}

/** The people whom the events of a receipt are about; also of the events that it repeated. */
const RECIPIENTS = `cross join lateral (
    select array_agg(distinct identity) as recipients from (
      select e.to_email, e.normalized from inbound_events e where e.request_id = t.id
      union all
      select e.to_email, e.normalized from inbound_events e where e.id = any(t.repeated_event_ids)
    ) e, lateral (values (e.to_email), (e.normalized #>> '{contact,email}'), (e.normalized #>> '{contact,profileUrl}')) as known (identity)
    where t.body is not null and identity is not null
  ) r`;

function textOf({ name, type }: { name: string; type: string }): { name: string; text: string; bytes: string }[] {
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

type Selected = Record<string, string | number | Buffer | string[] | null>;

function toRow({
  '#place': place,
  '#version': version,
  '#id': id,
  '#recipients': recipients,
  ...columns
}: Selected): Row {
  return {
    place: String(place),
    version: String(version),
    id: typeof id === 'number' ? id : null,
    recipients: Array.isArray(recipients) ? recipients : null,
    texts: Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, toText(value)])),
  };
}

function toText(value: Selected[string]): string | null {
  return value === null || value === undefined ? null : value.toString();
}
