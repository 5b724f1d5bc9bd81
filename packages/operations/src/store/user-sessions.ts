/** Sessions of users in their browsers. */
import type { Db } from '@svc/engine/store/database/db';
import { insertRow, selectFields } from '@svc/engine/store/database/rows';
import type { UserRole } from './user-roles.ts';

export interface StoredSession {
  id: number;
  userId: number;
  createdAt: Date;
  /** When the user last proved who they are. */
  signedInAt: Date;
  /** To the minute. */
  lastUsedAt: Date;
  /** Valid until then, however much it is used. */
  expiresAt: Date;
  /** For example `Firefox on Linux`. */
  device: string;
  address: string;
}

const COLUMNS = selectFields('user_sessions', [
  'id',
  'userId',
  'createdAt',
  'signedInAt',
  'lastUsedAt',
  'expiresAt',
  'device',
  'address',
]);

/** A session that is not used for so long ends. */
export const SESSION_IDLE_MS = 12 * 60 * 60_000;

const isValid = (now: string, usedSince: string) =>
  `user_sessions.expires_at > ${now} and user_sessions.last_used_at > ${usedSince}`;

function usedAfter(now: Date): Date {
  return new Date(now.getTime() - SESSION_IDLE_MS);
}

export function insertSession(
  db: Db,
  session: Omit<StoredSession, 'id'> & { tokenHash: Buffer },
): Promise<StoredSession> {
  return insertRow(db, 'user_sessions', { ...session }, COLUMNS);
}

export interface SessionOfUser extends Pick<StoredSession, 'id' | 'signedInAt' | 'lastUsedAt'> {
  userId: number;
  email: string;
  role: UserRole;
}

/** Returns the valid session of a token, with its user as they are now. */
export async function findSession(db: Db, tokenHash: Buffer, now: Date): Promise<SessionOfUser | null> {
  const { rows } = await db.query<SessionOfUser>(
    {
      name: 'user-sessions-find',
      text: `select user_sessions.id, user_sessions.signed_in_at as "signedInAt", user_sessions.last_used_at as "lastUsedAt",
          users.id as "userId", users.email, users.role
        from user_sessions join users on users.id = user_sessions.user_id
        where user_sessions.token_hash = $1 and ${isValid('$2', '$3')}`,
    },
    [tokenHash, now, usedAfter(now)],
  );
  return rows[0] ?? null;
}

export async function noteSessionUse(db: Db, id: number, at: Date): Promise<void> {
  await db.query('update user_sessions set last_used_at = greatest(last_used_at, $2) where id = $1', [id, at]);
}

/** Gives a session another token, because its user proved again who they are. */
export async function renewSession(db: Db, id: number, tokenHash: Buffer, signedInAt: Date): Promise<void> {
  await db.query('update user_sessions set token_hash = $2, signed_in_at = $3, last_used_at = $3 where id = $1', [
    id,
    tokenHash,
    signedInAt,
  ]);
}

/** Returns the valid sessions of a user, or of all, the last used first. */
export async function listSessions(db: Db, userId: number | null, now: Date): Promise<StoredSession[]> {
  const { rows } = await db.query<StoredSession>(
    `select ${COLUMNS} from user_sessions where ($1::bigint is null or user_id = $1) and ${isValid('$2', '$3')}
      order by last_used_at desc, id desc`,
    [userId, now, usedAfter(now)],
  );
  return rows;
}

/** Ends a session of a user. False when the user has no such session. */
export async function deleteSession(db: Db, userId: number, id: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from user_sessions where id = $2 and user_id = $1', [userId, id]);
  return rowCount > 0;
}

/** Ends the sessions of a user, all but one if it is given, and returns how many. */
export async function deleteSessionsOf(db: Db, userId: number, exceptId: number | null = null): Promise<number> {
  const { rowCount } = await db.query(
    'delete from user_sessions where user_id = $1 and id is distinct from $2::bigint',
    [userId, exceptId],
  );
  return rowCount;
}

export async function deleteOldSessions(db: Db, now: Date): Promise<void> {
  await db.query(`delete from user_sessions where not (${isValid('$1', '$2')})`, [now, usedAfter(now)]);
}
