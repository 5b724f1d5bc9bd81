/** Statements of `crm_records`: what is remembered of the records of a connection's CRM. */
import type { CrmRecord } from '@svc/crm';
import type { Db } from './database/db.ts';

/** What is remembered under an identity in one connection. */
export interface CrmRecordKey {
  connectionId: number;
  identity: string;
}

export type StoredCrmRecord = CrmRecord & CrmRecordKey;

export async function listCrmRecords(db: Db, keys: readonly CrmRecordKey[]): Promise<StoredCrmRecord[]> {
  const { rows } = await db.query<StoredCrmRecord>(
    {
      name: 'crm-records-list',
      // One look-up per key: without statistics, a plain join would read the whole table.
      text: `select wanted.connection_id as "connectionId", wanted.identity, found.*
        from unnest($1::bigint[], $2::text[]) as wanted (connection_id, identity) cross join lateral (
          select record_type as "recordType", record_id as "recordId", details_hash as "detailsHash",
            owner_id as "ownerId", company_id as "companyId", checked_at as "checkedAt"
          from crm_records records
          where records.connection_id = wanted.connection_id and records.identity = wanted.identity limit 1
        ) as found`,
    },
    toArrays(keys),
  );
  return rows;
}

export interface PersonRecordRow {
  connectionId: number;
  crm: string;
  organizationId: string;
  organizationDomain: string;
  sealedCrmToken: string | null;
  identity: string;
  recordType: string;
  recordId: string;
  checkedAt: Date;
}

/** Returns what is remembered of people, with what a link to the record is made of. @param identities such as `email:ada@example.com` */
export async function listPersonRecords(
  db: Db,
  connectionIds: readonly number[],
  identities: readonly string[],
): Promise<PersonRecordRow[]> {
  const { rows } = await db.query<PersonRecordRow>(
    `select c.id as "connectionId", c.crm, c.organization_id as "organizationId",
        c.organization_domain as "organizationDomain", c.crm_token as "sealedCrmToken", records.identity,
        records.record_type as "recordType", records.record_id as "recordId", records.checked_at as "checkedAt"
      from connections c join crm_records records on records.connection_id = c.id and records.identity = any($2)
      where c.id = any($1) order by c.id, records.identity`,
    [connectionIds, identities],
  );
  return rows;
}

/** Stores records. @param records with different keys, sorted by them so that writers do not wait for each other */
export async function upsertCrmRecords(db: Db, records: readonly StoredCrmRecord[]): Promise<void> {
  await db.query(
    {
      name: 'crm-records-upsert',
      text: `insert into crm_records
          (connection_id, identity, record_type, record_id, details_hash, owner_id, company_id, checked_at)
        select connection_id, identity, record_type, record_id, details_hash, owner_id, company_id, checked_at
        from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
            $8::timestamptz[])
          as records (connection_id, identity, record_type, record_id, details_hash, owner_id, company_id, checked_at)
        on conflict (connection_id, identity) do update set record_type = excluded.record_type,
          record_id = excluded.record_id, details_hash = excluded.details_hash, owner_id = excluded.owner_id,
          company_id = excluded.company_id, checked_at = excluded.checked_at`,
    },
    [
      ...toArrays(records),
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

function toArrays(keys: readonly CrmRecordKey[]): [number[], string[]] {
  return [keys.map(({ connectionId }) => connectionId), keys.map(({ identity }) => identity)];
}

/** Deletes marks of written events (`activity:...`). Contacts and companies stay. */
export async function deleteOldCrmMarks(db: Db, before: Date): Promise<void> {
  await db.query(`delete from crm_records where identity like 'activity:%' and checked_at < $1`, [before]);
}
