/** Statements of `crm_records`: what is remembered of the records of a connection's CRM. */
import type { CrmRecord } from '@svc/crm';
import type { Db } from './database/db.ts';

export async function listCrmRecords(
  db: Db,
  connectionId: number,
  identities: readonly string[],
): Promise<CrmRecord[]> {
  const { rows } = await db.query<CrmRecord>(
    {
      name: 'crm-records-list',
      text: `select identity, record_type as "recordType", record_id as "recordId", details_hash as "detailsHash",
          owner_id as "ownerId", company_id as "companyId", checked_at as "checkedAt"
        from crm_records where connection_id = $1 and identity = any($2)`,
    },
    [connectionId, identities],
  );
  return rows;
}

/** Stores records. @param records with different identities, sorted by them so that writers do not wait for each other */
export async function upsertCrmRecords(db: Db, connectionId: number, records: readonly CrmRecord[]): Promise<void> {
  await db.query(
    {
      name: 'crm-records-upsert',
      text: `insert into crm_records
          (connection_id, identity, record_type, record_id, details_hash, owner_id, company_id, checked_at)
        select $1, identity, record_type, record_id, details_hash, owner_id, company_id, checked_at
        from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
          as records (identity, record_type, record_id, details_hash, owner_id, company_id, checked_at)
        on conflict (connection_id, identity) do update set record_type = excluded.record_type,
          record_id = excluded.record_id, details_hash = excluded.details_hash, owner_id = excluded.owner_id,
          company_id = excluded.company_id, checked_at = excluded.checked_at`,
    },
    [
      connectionId,
      records.map(({ identity }) => identity),
      records.map(({ recordType }) => recordType),
      records.map(({ recordId }) => recordId),
      records.map(({ detailsHash }) => detailsHash),
      records.map(({ ownerId }) => ownerId),
      records.map(({ companyId }) => companyId),
      records.map(({ checkedAt }) => checkedAt.toISOString()),
    ],
  );
}

export async function deleteCrmRecords(db: Db, connectionId: number, identities: readonly string[]): Promise<void> {
  await db.query(
    {
      name: 'crm-records-delete',
      text: 'delete from crm_records where connection_id = $1 and identity = any($2)',
    },
    [connectionId, identities],
  );
}

/** Deletes marks of written events (`activity:...`). Contacts and companies stay. */
export async function deleteOldCrmMarks(db: Db, before: Date): Promise<void> {
  await db.query(`delete from crm_records where identity like 'activity:%' and checked_at < $1`, [before]);
}
