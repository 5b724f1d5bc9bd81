import type { Database } from '../src/store/db.ts';

/** Rows that many tests begin with. They are loaded once per database and copied from then on, which is ten times as fast. */
export interface Content {
  /** Identifies the rows: lower-case letters, digits and underscores. */
  readonly name: string;
  /** Loads the rows into a migrated, empty database. */
  load(db: Database): Promise<void>;
}

export const EMPTY: Content = { name: 'empty', load: async () => {} };

/** Gives every table and sequence the content's rows and values, whatever was there before. */
export async function restore(db: Database, { name, load }: Content): Promise<void> {
  const schema = `content_${name}`;
  const { rows } = await db.query('select from pg_namespace where nspname = $1', [schema]);
  if (rows.length === 0) {
    if (name !== EMPTY.name) await restore(db, EMPTY);
    await load(db);
    await db.script(copyTo(schema));
  } else await db.script(copyFrom(schema));
}

const copyTo = (schema: string) => `
  do $$ declare name text; begin
    create schema ${schema};
    for name in select tablename from pg_tables where schemaname = 'public' loop
      execute format('create table ${schema}.%I as table public.%I', name, name);
    end loop;
    create table ${schema}."sequence values" as
      select sequencename, last_value from pg_sequences where schemaname = 'public';
  end $$`;

/** Foreign keys are not checked meanwhile (session_replication_role): the rows were sound when they were copied. */
const copyFrom = (schema: string) => `
  do $$ declare part record; begin
    set local session_replication_role = replica;
    execute (select 'truncate ' || string_agg(format('public.%I', tablename), ', ')
      from pg_tables where schemaname = 'public');
    for part in
      select relname as name, string_agg(quote_ident(attname), ', ') as columns
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r'
        and attnum > 0 and not attisdropped and attgenerated = '' group by relname
    loop
      execute format('insert into public.%I (%s) overriding system value select %s from ${schema}.%I',
        part.name, part.columns, part.columns, part.name);
    end loop;
    perform setval(format('public.%I', sequencename), coalesce(last_value, 1), last_value is not null)
      from ${schema}."sequence values";
  end $$`;
