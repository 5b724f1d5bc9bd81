/** What a user of the dashboard may do, and how often. */
import { takeFromWindow, type WindowState } from '@svc/domain/requests/rate-limit';
import type { Context } from '@svc/engine/context';
import type { Request } from 'express';
import { DashboardError, signedOut } from './errors.ts';
import { type DashboardUser, findUser, isRecent } from './sessions.ts';

export interface Need {
  readonly isWrite: boolean;
  readonly needsRecentSignIn: boolean;
}

/** @throws Refusal when the role does not allow it, or when the user has to confirm who they are */
export function assertPermitted(user: DashboardUser, { isWrite, needsRecentSignIn }: Need, now: Date): void {
  if (isWrite && user.role !== 'admin') {
    throw new DashboardError(403, 'forbidden', 'Only administrators may do this: ask one for it, or for their role.');
  }
  if (needsRecentSignIn && !isRecent(user, now)) {
    throw new DashboardError(
      403,
      'confirm_required',
      'Confirm that it is you: this shows or replaces secrets, or removes data.',
    );
  }
}

/** Enough for several tabs of a busy page; a page that repeats itself in a loop is stopped. */
const SESSION_LIMIT = { limit: 400, windowMs: 10_000 };
/** Sessions whose requests are counted at a time. */
const SESSIONS_MAX = 10_000;

/** Finds who sent a request. Throws a DashboardError when nobody is signed in, or when the session sends too many requests. */
export type RequireUser = (request: Request) => Promise<DashboardUser>;

export function createRequireUser(ctx: Context): RequireUser {
  const windows = new Map<number, WindowState>();
  return async (request) => {
    const user = await findUser(ctx, request);
    if (user === null) throw signedOut();
    countRequest(windows, user, ctx.clock.now());
    return user;
  };
}

function countRequest(windows: Map<number, WindowState>, { sessionId }: DashboardUser, now: Date): void {
  const { allowed, state, resetSeconds } = takeFromWindow(windows.get(sessionId) ?? null, { ...SESSION_LIMIT, now });
  windows.delete(sessionId);
  windows.set(sessionId, state);
  const [oldest] = windows.keys();
  if (windows.size > SESSIONS_MAX && oldest !== undefined) windows.delete(oldest);
  if (allowed) return;
  const message = 'The page sent too many requests: wait a few seconds.';
  throw new DashboardError(429, 'too_many_requests', message, resetSeconds);
}
