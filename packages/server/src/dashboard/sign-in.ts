/** Checks and changes of passwords, with their entries in the audit log. */
import { toClientNetwork } from '@svc/domain/requests/rate-limit';
import type { Db } from '@svc/engine/store/database/db';
import type { Request } from 'express';
import { insertAuditEntry } from '@svc/operations/store/audit-log';
import { deleteSessionsOf, listSessions } from '@svc/operations/store/user-sessions';
import { deleteInvitationsOf, findPassword, updateUser } from '@svc/operations/store/users';
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
  const passwordHash = user?.passwordHash ?? null;
  const isRight = await verifyPassword(password, passwordHash).catch(async (error: unknown) => {
    await takeBack();
    throw error;
  });
  if (user === null || passwordHash === null || !isRight) {
    const input = { by: 'password', address };
    await audit(deps, { email: user?.email ?? null, operation, input, outcome: 'wrong_password' });
    throw new DashboardError(403, 'forbidden', 'The address or the password is wrong.');
  }
  await takeBack();
  if (!isOutdated(passwordHash)) return { ...user, passwordHash };
  const newHash = await hashPassword(password);
  await updateUser(db, user.id, { passwordHash: newHash });
  return { ...user, passwordHash: newHash };
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
