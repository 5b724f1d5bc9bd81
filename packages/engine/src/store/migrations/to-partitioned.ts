/** Makes a table the first partition of a new one with its name, without copying a row. */
import type { Db } from '../database/db.ts';
import type { StepWork } from './migration.ts';

export interface NewIndex {
  name: string;
  table: string;
  isUnique: boolean;
  /** Columns in parentheses, and a condition. */
  on: string;
}

/** Builds an index while others write, if they do. What an interrupted run has left is dropped first. */
export async function buildIndex({ db, isOnline }: StepWork, { name, table, isUnique, on }: NewIndex): Promise<void> {
  const { rows } = await db.query<{ isValid: boolean }>(
    'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  if (rows[0]?.isValid === true) return;
  const concurrently = isOnline ? 'concurrently' : '';
  if (rows.length > 0) await db.script(`drop index ${concurrently} ${name}`);
  await db.script(`create ${isUnique ? 'unique' : ''} index ${concurrently} ${name} on ${table} ${on}`);
}

/** The name of the partition without a beginning: everything before the first month. */
const EARLIER = 'earlier';

/** Indexes and constraints whose uniqueness does not contain the partition key. */
const UNIQUE_BY_ID = `
  select format('alter table %I drop constraint %I', $1::text, conname) as change
  from pg_constraint where conrelid = $1::regclass and contype in ('p', 'u')
  union all
  select format('drop index %I', i.indexrelid::regclass::text)
  from pg_index i where i.indrelid = $1::regclass and i.indisunique
    and not exists (select from pg_constraint where conindid = i.indexrelid)
    and not 'created_at' = any(select attname from pg_attribute where attrelid = i.indexrelid)`;

/** Everything that the new table gets as the old one had it. */
const DEFINITIONS = `
  select format('alter table %I add constraint %I %s', $1::text, conname, pg_get_constraintdef(oid)) as change, 1 as place
  from pg_constraint where conrelid = $1::regclass and contype = 'f'
  union all
  select pg_get_indexdef(indexrelid), 1 from pg_index where indrelid = $1::regclass
  union all
  select pg_get_triggerdef(oid), 2 from pg_trigger where tgrelid = $1::regclass and not tgisinternal
  union all
  select format('grant %s on %I to %s', privilege_type, $1::text,
    case when grantee = 0 then 'public' else quote_ident(grantee::regrole::text) end), 2
  from pg_class, aclexplode(relacl) where pg_class.oid = $1::regclass and grantee <> relowner
  union all
  select format('alter table %I owner to %I', $1::text, relowner::regrole::text), 3
  from pg_class where oid = $1::regclass and relowner <> current_user::regrole
  order by place`;

/** Frees the names that the new table needs: the old table's indexes get other names, its triggers are dropped. */
const OLD_NAMES = `
  select format('alter index %I rename to %I', indexrelid::regclass::text,
    left(replace(indexrelid::regclass::text, $1::text, $2::text), 63)) as change
  from pg_index where indrelid = $1::regclass
  union all
  select format('drop trigger %I on %I', tgname, $1::text) from pg_trigger
  where tgrelid = $1::regclass and not tgisinternal`;

/**
 * Returns statements that lock a log, and the tables that it refers to, until the end of the transaction. All at once: statements
 * that use several of them would otherwise hold one that a later statement of this transaction locks, and wait for this transaction.
 *
 * @param mode of the tables that it refers to: attaching a partition that has the references already removes triggers of
 *   these tables, which needs `access exclusive`; a new partition needs `share row exclusive`
 */
export async function lockLogSql(
  tx: Db,
  table: string,
  mode: 'access exclusive' | 'share row exclusive',
): Promise<string> {
  const { rows } = await tx.query<{ name: string }>(
    `select distinct confrelid::regclass::text as name from pg_constraint
      where conrelid = $1::regclass and contype = 'f' order by 1`,
    [table],
  );
  const locks = rows.map(({ name }) => `lock table ${name} in ${mode} mode`);
  return [`lock table ${table} in access exclusive mode`, ...locks].join(';');
}

export async function lockLog(tx: Db, table: string, mode: 'access exclusive' | 'share row exclusive'): Promise<void> {
  await tx.script(await lockLogSql(tx, table, mode));
}

/** In the caller's transaction, which should be short: it locks the table. Does nothing when the table has partitions. */
export async function toPartitioned(tx: Db, table: string): Promise<void> {
  const { rows: kinds } = await tx.query<{ kind: string; hasIdentity: boolean }>(
    `select relkind as kind, exists (
        select from pg_attribute where attrelid = pg_class.oid and attname = 'id' and attidentity <> '') as "hasIdentity"
      from pg_class where oid = $1::regclass`,
    [table],
  );
  const [{ kind, hasIdentity }] = kinds as [(typeof kinds)[0]];
  if (kind === 'p') return;
  const run = async (query: string, values: unknown[]) => {
    const { rows } = await tx.query<{ change: string }>(query, values);
    for (const { change } of rows) await tx.script(change);
  };
  const old = `${table}_${EARLIER}`;
  await lockLog(tx, table, 'access exclusive');
  await run(UNIQUE_BY_ID, [table]);
  const { rows: definitions } = await tx.query<{ change: string }>(DEFINITIONS, [table]);
  await run(OLD_NAMES, [table, old]);
  await tx.script(`alter table ${table} rename to ${old}`);
  await tx.script(
    `create table ${table} (like ${old} including defaults including constraints including generated including storage)
      partition by range (created_at)`,
  );
  if (hasIdentity) await takeOverSequence(tx, table, old);
  for (const { change } of definitions) await tx.script(change);
  await tx.script(`alter table ${table} attach partition ${old} for values from (minvalue) to (maxvalue)`);
}

/** Ids go on where they are. A plain sequence, because partitions have identity columns since PostgreSQL 17 only. */
async function takeOverSequence(tx: Db, table: string, old: string): Promise<void> {
  // The first statement changes nothing: it locks the sequence, of which ids are also taken without the table
  // (`inbound/buffer/request-ids.ts`). They would be given a second time.
  await tx.script(`
    alter sequence ${table}_id_seq increment by 1;
    create sequence ${table}_ids;
    select setval('${table}_ids', last_value, is_called) from ${table}_id_seq;
    alter table ${old} alter id drop identity;
    alter sequence ${table}_ids rename to ${table}_id_seq;
    alter sequence ${table}_id_seq owned by ${table}.id;
    alter table ${table} alter id set default nextval('${table}_id_seq')`);
}
