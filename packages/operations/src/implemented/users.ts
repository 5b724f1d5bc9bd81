import { createHash } from 'node:crypto';
import type { Db } from '@svc/engine/store/database/db';
import * as declared from '../declared/users.ts';
import { countOf } from '../declared/removal.ts';
import { deleteSession, deleteSessionsOf, listSessions } from '../store/user-sessions.ts';
import type { UserRole } from '../store/user-roles.ts';
import * as store from '../store/users.ts';
import { AdminError, conflict, existing } from './admin-error.ts';
import { type AdminContext, assertChange, implement } from './operation.ts';

export const INVITATION_MINUTES = 30;
const TOKEN_BYTES = 32;

export const inviteUser = implement(declared.inviteUser, async (ctx, input) => {
  const { user, link, expiresAt } = await invite(ctx, input);
  return { user, link, expiresAt, notices: ctx.areUrlsAssumed === true ? [ASSUMED_URL] : [] };
});

const ASSUMED_URL =
  'No address of the dashboard is configured, so the link has the default one: set SVC_PUBLIC_URL, or replace the beginning of the link.';

/** Makes a link for a user, who is added when there is none with the address. @throws AdminError */
export function invite(
  ctx: Pick<AdminContext, 'db' | 'clock' | 'randomBytes' | 'urls'>,
  { email, role }: { email: string; role?: UserRole | undefined },
): Promise<{ user: store.StoredUser; link: string; expiresAt: Date }> {
  const token = Buffer.from(ctx.randomBytes(TOKEN_BYTES)).toString('base64url');
  const createdAt = ctx.clock.now();
  const expiresAt = new Date(createdAt.getTime() + INVITATION_MINUTES * 60_000);
  return ctx.db.transaction(async (tx) => {
    await store.lockUsers(tx);
    const known = await store.findUserByEmail(tx, email);
    const user =
      known === null
        ? await store.insertUser(tx, { email, role: role ?? (await roleOfNew(tx)), createdAt })
        : await changeUser(tx, known, { role });
    await store.replaceInvitation(tx, { userId: user.id, tokenHash: hashToken(token), createdAt, expiresAt });
    return { user, link: `${ctx.urls.dashboard}/welcome#/invitation/${token}`, expiresAt };
  });
}

/** Returns what is stored of a token of 256 random bits. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

async function roleOfNew(tx: Db): Promise<UserRole> {
  return (await store.countUsers(tx)) === 0 ? 'admin' : 'viewer';
}

export const listUsers = implement(declared.listUsers, async (ctx) => ({ users: await store.listUsers(ctx.db) }));

export const updateUser = implement(declared.updateUser, async (ctx, input) => {
  assertChange(input);
  const user = await ctx.db.transaction(async (tx) => {
    await store.lockUsers(tx);
    const { id, email, role } = input;
    const known = existing(await store.findUser(tx, id), 'user', id);
    const other = email === undefined ? null : await store.findUserByEmail(tx, email);
    if (other !== null && other.id !== id) throw conflict(`User ${other.id} already has the address ${other.email}.`);
    return changeUser(tx, known, { email, role });
  });
  return { user };
});

async function changeUser(
  tx: Db,
  user: store.StoredUser,
  changes: { email?: string | undefined; role?: UserRole | undefined },
): Promise<store.StoredUser> {
  if (Object.values(changes).every((value) => value === undefined)) return user;
  if (changes.role !== undefined && changes.role !== 'admin') await assertNotLastAdmin(tx, user);
  return existing(await store.updateUser(tx, user.id, changes), 'user', user.id);
}

/** @throws AdminError, because nobody could manage users in the dashboard any more */
async function assertNotLastAdmin(tx: Db, user: store.StoredUser): Promise<void> {
  if (user.role !== 'admin' || (await store.countUsers(tx, 'admin')) > 1) return;
  throw conflict(`User ${user.id} is the last admin: make another user an admin first.`);
}

export const removeUser = implement(declared.removeUser, async (ctx, { id, isConfirmed }) => {
  const endedSessions = await ctx.db.transaction(async (tx) => {
    await store.lockUsers(tx);
    const user = existing(await store.findUser(tx, id), 'user', id);
    await assertNotLastAdmin(tx, user);
    if (!isConfirmed) {
      const sessions = await listSessions(tx, id, ctx.clock.now());
      throw new AdminError(
        'not_confirmed',
        `Removing user ${id} (${user.email}) ends ${countOf(sessions.length, 'sessions')}. Nothing is removed yet: confirm with --yes.`,
      );
    }
    const ended = await deleteSessionsOf(tx, id);
    await store.deleteUser(tx, id);
    return ended;
  });
  return { id, endedSessions };
});

export const listUserSessions = implement(declared.listUserSessions, async (ctx, { userId }) => {
  if (userId !== undefined) existing(await store.findUser(ctx.db, userId), 'user', userId);
  return { sessions: await listSessions(ctx.db, userId ?? null, ctx.clock.now()) };
});

export const endUserSessions = implement(declared.endUserSessions, async (ctx, { id, sessionId }) => {
  existing(await store.findUser(ctx.db, id), 'user', id);
  if (sessionId === undefined) return { id, endedSessions: await deleteSessionsOf(ctx.db, id) };
  if (await deleteSession(ctx.db, id, sessionId)) return { id, endedSessions: 1 };
  throw new AdminError(
    'not_found',
    `User ${id} has no session ${sessionId}: svc-server users sessions --user ${id} shows the existing ones.`,
  );
});
