/** Consents that users are asked for at a CRM, from the consent page to its callback. */
import type { Db } from './database/db.ts';
import { insertRow } from './database/rows.ts';

/** What a new connection gets; absent switches keep their value, or get the default of a new connection. */
export interface ConsentSettings {
  organizationDomain?: string | undefined;
  canUseApi?: boolean | undefined;
  sync?: boolean | undefined;
  destinations?: boolean | undefined;
  blocklists?: boolean | undefined;
}

export interface NewConsent {
  stateHash: Buffer;
  crm: string;
  accountId: number | null;
  connectionId: number | null;
  isPublic: boolean;
  sessionHash: Buffer | null;
  loginUrl: string;
  redirectUri: string;
  settings: ConsentSettings;
  createdAt: Date;
  expiresAt: Date;
}

export type Consent = NewConsent & { id: number };

export function insertConsent(db: Db, { settings, ...consent }: NewConsent): Promise<{ id: number }> {
  return insertRow(db, 'oauth_consents', { ...consent, settings: JSON.stringify(settings) });
}

/**
 * Counts the public consents that may still be used.
 *
 * @param connectionId null: those that began at a CRM, without a connection
 */
export async function countOpenConsents(db: Db, connectionId: number | null, now: Date): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from oauth_consents
      where connection_id is not distinct from $1::bigint and is_public and used_at is null and expires_at > $2`,
    [connectionId, now],
  );
  return rows[0]?.count ?? 0;
}

/** Returns a consent that may still be used; null for an unknown, used or expired state. */
export async function findOpenConsent(
  db: Db,
  { crm, stateHash, now }: { crm: string; stateHash: Buffer; now: Date },
): Promise<Consent | null> {
  const { rows } = await db.query<Consent>(
    `select id, state_hash as "stateHash", crm, account_id as "accountId", connection_id as "connectionId",
        is_public as "isPublic", session_hash as "sessionHash", login_url as "loginUrl",
        redirect_uri as "redirectUri", settings, created_at as "createdAt", expires_at as "expiresAt"
      from oauth_consents where state_hash = $1 and crm = $2 and used_at is null and expires_at > $3`,
    [stateHash, crm, now],
  );
  return rows[0] ?? null;
}

/** Marks a consent as used. False when another callback was first. */
export async function useConsent(db: Db, id: number, now: Date): Promise<boolean> {
  const { rowCount } = await db.query('update oauth_consents set used_at = $2 where id = $1 and used_at is null', [
    id,
    now,
  ]);
  return rowCount > 0;
}

export interface ConsentResult {
  connectionId: number | null;
  error: string | null;
}

export async function setConsentResult(db: Db, id: number, { connectionId, error }: ConsentResult): Promise<void> {
  await db.query('update oauth_consents set result_connection_id = $2, result_error = $3 where id = $1', [
    id,
    connectionId,
    error,
  ]);
}

/** Returns what became of a consent; null when there is none. */
export async function getConsentResult(
  db: Db,
  id: number,
): Promise<(ConsentResult & { crm: string; expiresAt: Date }) | null> {
  const { rows } = await db.query<ConsentResult & { crm: string; expiresAt: Date }>(
    `select crm, expires_at as "expiresAt", result_connection_id as "connectionId", result_error as error
      from oauth_consents where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** Returns where the users of a connection signed in last; null when no consent is known. */
export async function findLoginUrl(db: Db, connectionId: number): Promise<string | null> {
  const { rows } = await db.query<{ loginUrl: string }>(
    'select login_url as "loginUrl" from oauth_consents where result_connection_id = $1 order by id desc limit 1',
    [connectionId],
  );
  return rows[0]?.loginUrl ?? null;
}

/** Deletes consents that expired before `before`, but the ones that tell where users of a connection sign in. */
export async function deleteOldConsents(db: Db, before: Date): Promise<void> {
  await db.query(
    `delete from oauth_consents where expires_at < $1 and id not in (
      select max(latest.id) from oauth_consents latest join connections c on c.id = latest.result_connection_id
      group by c.id)`,
    [before],
  );
}

/** A connection as a consent needs it. */
export interface ConsentTarget {
  id: number;
  accountId: number;
  crm: string;
  organizationId: string;
  sealedToken: string | null;
}

const TARGET = 'id, account_id as "accountId", crm, organization_id as "organizationId", crm_token as "sealedToken"';

export async function findConsentTarget(db: Db, connectionId: number): Promise<ConsentTarget | null> {
  const { rows } = await db.query<ConsentTarget>(`select ${TARGET} from connections where id = $1`, [connectionId]);
  return rows[0] ?? null;
}

/** Returns the connections of a CRM, of one account or all, by ascending id. */
export async function listConsentTargets(db: Db, crm: string, accountId: number | null): Promise<ConsentTarget[]> {
  const { rows } = await db.query<ConsentTarget>(
    `select ${TARGET} from connections where crm = $1 and ($2::bigint is null or account_id = $2) order by id`,
    [crm, accountId],
  );
  return rows;
}
