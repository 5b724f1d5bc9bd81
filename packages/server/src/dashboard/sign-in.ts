/** Checks and changes of passwords, with their entries in the audit log. */
import { toClientNetwork } from '@svc/domain/requests/rate-limit';
import type { Db } from '@svc/engine/store/database/db';
import type { Request } from 'express';
import { insertAuditEntry } from '@svc/operations/store/audit-log';
import { deleteSessionsOf, listSessions } from '@svc/operations/store/user-sessions';
import {
  deleteInvitationsOf,
  findPassword,
  type PasswordOfUser,
  replaceHash,
  updateUser,
} from '@svc/operations/store/users';
import { DashboardError } from './errors.ts';
import { hashPassword, isOutdated, verifyPassword } from './passwords.ts';
import { countAttempt } from './sign-in-limits.ts';
import type { SessionDeps } from './sessions.ts';

export type SignInOperation =
  | 'session/sign-in'
  | 'session/confirm'
  | 'session/sign-out'
  | 'session/end'
  | 'session/password';

/** @param entry.email null: nobody known */
export async function audit(
  { db, clock }: Pick<SessionDeps, 'clock'> & { db: Db },
  entry: { email: string | null; operation: SignInOperation; input: object; outcome?: string },
): Promise<void> {
  const { email, operation, input, outcome = 'done' } = entry;
  const actor = email === null ? 'unknown user' : `user:${email}`;
  await insertAuditEntry(db, { at: clock.now(), actor, operation, input, outcome });
}

/**
 * Returns the user with this address and password.
 *
 * @throws DashboardError with the same text for an unknown address, a user without a password and a wrong password
 */
export async function checkPassword(
  deps: SessionDeps,
  request: Pick<Request, 'ip'>,
  given: { email: string; password: string; operation: SignInOperation },
): Promise<{ id: number; email: string; passwordHash: string }> {
  const { db, clock } = deps;
  const { email, password, operation } = given;
  const address = request.ip ?? 'unknown';
  const user = await findPassword(db, email);
  const takeBack = await countAttempt(deps, {
    email,
    address,
    async isKnownNetwork(network) {
      const sessions = user === null ? [] : await listSessions(db, user.id, clock.now());
      return sessions.some((session) => toClientNetwork(session.address) === network);
    },
  });
  const passwordHash = await verifiedHash(deps, user, password).catch(async (error: unknown) => {
    await takeBack();
    throw error;
  });
  if (user === null || passwordHash === null) {
    const input = { by: 'password', address };
    await audit(deps, { email: user?.email ?? null, operation, input, outcome: 'wrong_password' });
    throw new DashboardError(403, 'forbidden', 'The address or the password is wrong.');
  }
  await takeBack();
  return { id: user.id, email: user.email, passwordHash };
}

/** Returns the stored hash of the user if it is that of the password, else null. One with old parameters is replaced. */
async function verifiedHash(deps: SessionDeps, user: PasswordOfUser | null, password: string): Promise<string | null> {
  const stored = user?.passwordHash ?? null;
  if (!(await verifyPassword(password, stored)) || user === null || stored === null) return null;
  if (!isOutdated(stored)) return stored;
  const better = await hashPassword(password);
  if (await replaceHash(deps.db, user.id, { from: stored, to: better })) return better;
  // Another sign-in was faster, or the password is another one now.
  return verifiedHash(deps, await findPassword(deps.db, user.email), password);
}

/** Stores a new password, and makes all other ways in that the user had invalid: sessions and links. */
export async function setPassword(
  tx: Db,
  userId: number,
  { passwordHash, keptSessionId }: { passwordHash: string; keptSessionId: number | null },
): Promise<number> {
  await updateUser(tx, userId, { passwordHash });
  await deleteInvitationsOf(tx, userId);
  return deleteSessionsOf(tx, userId, keptSessionId);
}
