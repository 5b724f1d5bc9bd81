/** Users of the dashboard, and the links that invite them. */
import type { Db } from '@svc/engine/store/database/db';
import { insertRow, selectFields, updateRow } from '@svc/engine/store/database/rows';
import type { UserRole } from './user-roles.ts';

export interface StoredUser {
  id: number;
  email: string;
  role: UserRole;
  createdAt: Date;
  /** Null: invited, and did not sign in yet. */
  lastSignedInAt: Date | null;
  hasPassword: boolean;
  /** Whether the user signed in at the OpenID Connect provider before. */
  hasOidc: boolean;
}

const COLUMNS = `${selectFields('users', ['id', 'email', 'role', 'createdAt', 'lastSignedInAt'])},
  users.password_hash is not null as "hasPassword", users.oidc_subject is not null as "hasOidc"`;

/** Blocks other changes of users until the transaction ends, so that an address stays unique and an admin stays. */
export async function lockUsers(tx: Db): Promise<void> {
  await tx.query('lock table users in share row exclusive mode');
}

export async function findUser(db: Db, id: number): Promise<StoredUser | null> {
  const { rows } = await db.query<StoredUser>(`select ${COLUMNS} from users where id = $1`, [id]);
  return rows[0] ?? null;
}

export async function findUserByEmail(db: Db, email: string): Promise<StoredUser | null> {
  const { rows } = await db.query<StoredUser>(`select ${COLUMNS} from users where lower(email) = lower($1)`, [email]);
  return rows[0] ?? null;
}

/** An account at an OpenID Connect provider. */
export interface UserIdentity {
  issuer: string;
  subject: string;
}

export async function findUserByIdentity(db: Db, { issuer, subject }: UserIdentity): Promise<StoredUser | null> {
  const { rows } = await db.query<StoredUser>(
    `select ${COLUMNS} from users where oidc_issuer = $1 and oidc_subject = $2`,
    [issuer, subject],
  );
  return rows[0] ?? null;
}

/** Lets a user sign in with an identity. False when the user has another one of the same provider. */
export async function bindIdentity(db: Db, id: number, { issuer, subject }: UserIdentity): Promise<boolean> {
  const { rowCount } = await db.query(
    'update users set oidc_issuer = $2, oidc_subject = $3 where id = $1 and oidc_issuer is distinct from $2',
    [id, issuer, subject],
  );
  return rowCount > 0;
}

export interface PasswordOfUser {
  id: number;
  email: string;
  /** A PHC string; null without a password. */
  passwordHash: string | null;
}

export async function findPassword(db: Db, email: string): Promise<PasswordOfUser | null> {
  const { rows } = await db.query<PasswordOfUser>(
    'select id, email, password_hash as "passwordHash" from users where lower(email) = lower($1)',
    [email],
  );
  return rows[0] ?? null;
}

/** The address of the admin whom a start invites when there is nobody else yet. */
export const FIRST_ADMIN = 'admin@localhost';

/** Returns whether nobody was invited but the first admin, who did not sign in yet. */
export async function needsFirstAdmin(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ isNeeded: boolean }>(
    'select not exists (select from users where last_signed_in_at is not null or email <> $1) as "isNeeded"',
    [FIRST_ADMIN],
  );
  return rows[0]?.isNeeded === true;
}

/** Stores another hash of the same password. False when the hash is not the same any more. */
export async function replaceHash(db: Db, id: number, { from, to }: { from: string; to: string }): Promise<boolean> {
  const { rowCount } = await db.query('update users set password_hash = $3 where id = $1 and password_hash = $2', [
    id,
    from,
    to,
  ]);
  return rowCount > 0;
}

/**
 * Records a sign-in and locks the user until the transaction ends.
 *
 * @param passwordHash the hash that the password was compared with; null when none was
 * @returns false when the user or the password is not the same any more
 */
export async function noteSignIn(tx: Db, id: number, at: Date, passwordHash: string | null): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update users set last_signed_in_at = $2 where id = $1 and ($3::text is null or password_hash = $3)',
    [id, at, passwordHash],
  );
  return rowCount > 0;
}

export async function listUsers(db: Db): Promise<StoredUser[]> {
  return (await db.query<StoredUser>(`select ${COLUMNS} from users order by id`)).rows;
}

export async function countUsers(db: Db, role?: UserRole): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) as count from users where $1::text is null or role = $1',
    [role ?? null],
  );
  return rows[0]?.count ?? 0;
}

export function insertUser(tx: Db, user: Pick<StoredUser, 'email' | 'role' | 'createdAt'>): Promise<StoredUser> {
  return insertRow(tx, 'users', { ...user }, COLUMNS);
}

/** @returns null when there is no such user */
export function updateUser(
  tx: Db,
  id: number,
  changes: {
    email?: string | undefined;
    role?: UserRole | undefined;
    passwordHash?: string;
  },
): Promise<StoredUser | null> {
  return updateRow(tx, 'users', id, changes, COLUMNS);
}

export async function deleteUser(tx: Db, id: number): Promise<void> {
  await tx.query('delete from users where id = $1', [id]);
}

/** Makes the invitations of a user invalid. */
export async function deleteInvitationsOf(db: Db, userId: number): Promise<void> {
  await db.query('delete from user_invitations where user_id = $1', [userId]);
}

/** Replaces the invitations of a user by a new one. */
export async function replaceInvitation(
  tx: Db,
  invitation: { userId: number; tokenHash: Buffer; createdAt: Date; expiresAt: Date },
): Promise<void> {
  const { userId, tokenHash, createdAt, expiresAt } = invitation;
  await tx.query('delete from user_invitations where user_id = $1', [userId]);
  await tx.query('insert into user_invitations (token_hash, user_id, created_at, expires_at) values ($1, $2, $3, $4)', [
    tokenHash,
    userId,
    createdAt,
    expiresAt,
  ]);
}

/** Returns the user of a valid invitation, which stays valid. */
export async function findInvitedUser(db: Db, tokenHash: Buffer, now: Date): Promise<StoredUser | null> {
  const { rows } = await db.query<StoredUser>(
    `select ${COLUMNS} from users join user_invitations on user_invitations.user_id = users.id
      where user_invitations.token_hash = $1 and user_invitations.expires_at > $2`,
    [tokenHash, now],
  );
  return rows[0] ?? null;
}

/** Uses up an invitation and returns the id of its user; null when it is unknown, used or expired. Of two callers one gets it. */
export async function takeInvitation(db: Db, tokenHash: Buffer, now: Date): Promise<number | null> {
  const { rows } = await db.query<{ userId: number }>(
    'delete from user_invitations where token_hash = $1 and expires_at > $2 returning user_id as "userId"',
    [tokenHash, now],
  );
  return rows[0]?.userId ?? null;
}

export async function deleteOldInvitations(db: Db, now: Date): Promise<void> {
  await db.query('delete from user_invitations where expires_at <= $1', [now]);
}
