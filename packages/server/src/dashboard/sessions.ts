/**
 * Sessions of signed-in users. The cookie has 256 random bits, of which the database stores the SHA-256. A session ends after 12 hours
 * without use and 7 days after it began, and its token is replaced at each sign-in.
 */
import { isLoopbackHost } from '@svc/domain/network/loopback';
import type { Request, Response } from 'express';
import type { PublicUrls } from '@svc/engine/config/public-urls';
import type { Context } from '@svc/engine/context';
import type { Db } from '@svc/engine/store/database/db';
import { hashToken } from '@svc/operations/implemented/users';
import {
  deleteSession,
  findSession,
  insertSession,
  noteSessionUse,
  renewSession,
} from '@svc/operations/store/user-sessions';
import type { UserRole } from '@svc/operations/store/user-roles';
import { noteSignIn } from '@svc/operations/store/users';
import { DashboardError, signedOut } from './errors.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { describeDevice } from './device.ts';

export interface DashboardUser {
  id: number;
  email: string;
  role: UserRole;
  sessionId: number;
  /** When the user last proved who they are. */
  signedInAt: Date;
}

/** What sessions need. */
export type SessionDeps = Pick<Context, 'db' | 'clock' | 'urls' | 'randomBytes'>;

const SESSION_MS = 7 * 24 * 60 * 60_000;
const RECENT_MS = 15 * 60_000;
const USE_NOTED_EVERY_MS = 60_000;
const TOKEN_BYTES = 32;
/** Base64url of the token. */
const TOKEN_FORM = /^[\w-]{43}$/;

/**
 * Returns who sent the request; null when nobody is signed in. Role and address are those of now.
 *
 * @param options.isUse false does not prolong the session. Default true
 */
export async function findUser(
  { db, clock, urls }: SessionDeps,
  request: Pick<Request, 'headers'>,
  { isUse = true }: { isUse?: boolean } = {},
): Promise<DashboardUser | null> {
  const token = readToken(urls, request.headers.cookie);
  if (token === null) return null;
  const now = clock.now();
  const session = await findSession(db, hashToken(token), now);
  if (session === null) return null;
  const { id: sessionId, userId: id, email, role, signedInAt, lastUsedAt } = session;
  const isNoted = now.getTime() - lastUsedAt.getTime() < USE_NOTED_EVERY_MS;
  if (isUse && !isNoted) await noteSessionUse(db, sessionId, now);
  return { id, email, role, sessionId, signedInAt };
}

/** Returns whether the user proved who they are within the last 15 minutes. */
export function isRecent({ signedInAt }: Pick<DashboardUser, 'signedInAt'>, now: Date): boolean {
  return now.getTime() - signedInAt.getTime() < RECENT_MS;
}

/** A sign-in that is under way. */
export interface SignIn {
  readonly userId: number;
  readonly request: Request;
  readonly response: Response;
  /** The hash that the password was compared with; null when the user signs in without one. */
  readonly passwordHash: string | null;
  /** When the user proved who they are. Default: now */
  readonly signedInAt?: Date;
  /** What happens with the beginning of the session or not at all. Default: nothing */
  readonly alsoDo?: (tx: Db) => Promise<void>;
}

/** Begins a session of a user in this browser. An earlier one there ends, so a token from before the sign-in is worth nothing. */
export async function beginSession(
  deps: SessionDeps,
  { userId, request, response, passwordHash, signedInAt, alsoDo }: SignIn,
): Promise<void> {
  assertSafeAddress(deps.urls);
  const { db, clock } = deps;
  const earlier = await findUser(deps, request);
  const now = clock.now();
  const token = newToken(deps);
  await db.transaction(async (tx) => {
    await alsoDo?.(tx);
    // A change of the password may have ended all sessions since the old password was compared: then no session may begin.
    if (!(await noteSignIn(tx, userId, now, passwordHash))) throw signedOut();
    if (earlier !== null) await deleteSession(tx, earlier.id, earlier.sessionId);
    await insertSession(tx, {
      userId,
      tokenHash: hashToken(token),
      createdAt: now,
      signedInAt: signedInAt ?? now,
      lastUsedAt: now,
      expiresAt: new Date(now.getTime() + SESSION_MS),
      device: describeDevice(request.headers['user-agent']),
      address: request.ip ?? 'unknown',
    });
  });
  response.appendHeader('Set-Cookie', sessionCookie(deps.urls, token));
}

/** Makes the sign-in of a session recent again, with a new token. */
export async function confirmSession(deps: SessionDeps, user: DashboardUser, response: Response): Promise<void> {
  const token = newToken(deps);
  await renewSession(deps.db, user.sessionId, hashToken(token), deps.clock.now());
  response.appendHeader('Set-Cookie', sessionCookie(deps.urls, token));
}

export async function endSession({ db, urls }: SessionDeps, user: DashboardUser, response: Response): Promise<void> {
  await deleteSession(db, user.id, user.sessionId);
  response.appendHeader('Set-Cookie', sessionCookie(urls, null));
}

function newToken({ randomBytes }: SessionDeps): string {
  return Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url');
}

/** @throws DashboardError, because passwords and cookies would be readable on their way */
export function assertSafeAddress({ dashboard }: PublicUrls): void {
  const { protocol, hostname, origin } = new URL(dashboard);
  if (protocol === 'https:' || isLoopbackHost(hostname)) return;
  throw new DashboardError(
    403,
    'forbidden',
    `The address of the dashboard, ${origin}, is not https: set SVC_PUBLIC_URL or SVC_DASHBOARD_URL to an https address.`,
  );
}

const COOKIE = { name: 'session', folder: '' };

/** @param token null deletes it */
function sessionCookie(urls: PublicUrls, token: string | null): string {
  return writeCookie(urls, { ...COOKIE, value: token, maxAgeSeconds: SESSION_MS / 1_000 });
}

function readToken(urls: PublicUrls, header: string | undefined): string | null {
  const token = readCookie(urls, COOKIE, header);
  return token !== null && TOKEN_FORM.test(token) ? token : null;
}
