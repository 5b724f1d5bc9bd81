/** Users of the dashboard, and the links that invite them. */
import type { Db } from '@svc/engine/store/database/db';
import { insertRow, selectFields, updateRow } from '@svc/engine/store/database/rows';

export const USER_ROLES = ['admin', 'viewer'] as const;
/** An admin may do everything, a viewer only read. */
export type UserRole = (typeof USER_ROLES)[number];

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
    lastSignedInAt?: Date;
    oidcIssuer?: string;
    oidcSubject?: string;
  },
): Promise<StoredUser | null> {
  return updateRow(tx, 'users', id, changes, COLUMNS);
}

export async function deleteUser(tx: Db, id: number): Promise<void> {
  await tx.query('delete from users where id = $1', [id]);
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
