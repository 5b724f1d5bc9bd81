import type { Database } from '../../src/store/database/db.ts';

/** Initial rows of tests. They are loaded once per database and then copied, which is ten times as fast. */
export interface Content {
  /** Identifies the rows: lower-case letters, digits and underscores. */
  readonly name: string;
  /** Loads the rows into a migrated, empty database. */
  load(db: Database): Promise<void>;
}

export const EMPTY: Content = { name: 'empty', load: async () => {} };

/** The state of a database when it was last restored. */
export interface Restored {
  readonly content: string;
  /** The transaction that restored it; rows of later transactions are changes. */
  readonly transaction: number;
}

/**
 * Gives every table and sequence the content's rows and values.
 *
 * @param last what the same database was restored to before: with the same content, only changed tables are written
 */
export async function restore(db: Database, { name, load }: Content, last: Restored | null): Promise<Restored> {
  const schema = `content_${name}`;
  const { rows } = await db.query('select from pg_namespace where nspname = $1', [schema]);
  if (rows.length === 0) {
    if (name !== EMPTY.name) await restore(db, EMPTY, null);
    await load(db);
    await db.script(copyTo(schema));
  }
  return db.transaction(async (tx) => {
    await tx.script(copyFrom(schema, last?.content === name ? last.transaction : 0));
    const { rows: ids } = await tx.query<{ id: number }>('select pg_current_xact_id()::text::bigint as id');
    return { content: name, transaction: ids[0]?.id ?? 0 };
  });
}

/** Partitions belong to their tables: a test may add some. */
const IS_TABLE = `relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;

const copyTo = (schema: string) => `
  do $$ declare name text; begin
    create schema ${schema};
    create table ${schema}."row counts" (name text primary key, rows bigint);
    for name in select relname from pg_class where ${IS_TABLE} loop
      execute format('create table ${schema}.%I as table public.%I', name, name);
      execute format('insert into ${schema}."row counts" select %L, count(*) from ${schema}.%I', name, name);
    end loop;
    create table ${schema}."sequence values" as
      select sequencename, last_value from pg_sequences where schemaname = 'public';
  end $$`;

/**
 * Deletes rows that later transactions wrote or locked, and copies a table again when rows are missing. Foreign keys
 * are not checked meanwhile (session_replication_role), because the copied rows were valid.
 */
function copyFrom(schema: string, transaction: number): string {
  const isChanged = `xmin::text::bigint > ${transaction} or xmax::text <> ''0''`;
  return `
  do $$ declare part record; changed bigint; rows_now bigint; begin
    set local session_replication_role = replica;
    if ${transaction} = 0 then
      execute (select 'truncate ' || string_agg(format('public.%I', relname), ', ') from pg_class where ${IS_TABLE});
    end if;
    for part in
      select relname as name, string_agg(quote_ident(attname), ', ') as columns, counts.rows
      from pg_attribute join pg_class on pg_class.oid = attrelid join ${schema}."row counts" as counts on counts.name = relname
      where ${IS_TABLE} and attnum > 0 and not attisdropped and attgenerated = '' group by relname, counts.rows
    loop
      execute format('select count(*), count(*) filter (where ${isChanged}) from public.%I', part.name)
        into rows_now, changed;
      continue when changed = 0 and rows_now = part.rows;
      if rows_now - changed = part.rows then
        execute format('delete from public.%I where ${isChanged}', part.name);
      else
        execute format('delete from public.%I', part.name);
        execute format('insert into public.%I (%s) overriding system value select %s from ${schema}.%I',
          part.name, part.columns, part.columns, part.name);
      end if;
    end loop;
    perform setval(format('public.%I', sequencename), coalesce(last_value, 1), last_value is not null)
      from ${schema}."sequence values";
  end $$`;
}

/**
 * Returns every row of the database as a line: `table {"column": "value", ...}`, sorted. Bytes are shown as text
 * (`encode(bytes, 'escape')`).
 */
export async function dumpRows(db: Database): Promise<string[]> {
  const { rows: tables } = await db.query<{ name: string; part: string; columns: string }>(
    `select coalesce(pg_partition_root(pg_class.oid), pg_class.oid)::regclass::text as name, relname as part, string_agg(format(case when atttypid = 'bytea'::regtype
          then '%L, encode(t.%I, ''escape'')' else '%L, t.%I::text' end, attname, attname), ', ' order by attnum) as columns
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped group by pg_class.oid`,
  );
  const lines: string[] = [];
  for (const { name, part, columns } of tables) {
    const { rows } = await db.query<{ line: string }>(
      `select json_build_object(${columns})::text as line from ${part} t`,
    );
    lines.push(...rows.map(({ line }) => `${name} ${line}`));
  }
  return lines.toSorted();
}
