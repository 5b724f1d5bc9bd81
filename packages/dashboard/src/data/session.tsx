/** Who is signed in. */
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { call } from './http.ts';

export interface SessionUser {
  readonly id: number;
  readonly email: string;
  readonly role: 'admin' | 'viewer';
  readonly hasPassword: boolean;
  readonly hasOidc: boolean;
  readonly signedInAt: string;
  readonly isRecent: boolean;
}

export interface Session {
  readonly user: SessionUser | null;
  /** `oidc`: what the button of the provider says; null without one. */
  readonly methods: { readonly password: boolean; readonly oidc: string | null };
  readonly version: string;
  readonly urls: { readonly api: string; readonly sync: string; readonly docs: string };
}

export const SESSION_KEY = ['session'] as const;

export function useSessionQuery() {
  return useQuery({ queryKey: SESSION_KEY, queryFn: () => call<Session>('GET', 'session'), staleTime: 60_000 });
}

const SessionContext = createContext<(Session & { readonly user: SessionUser }) | null>(null);

/** Gives the pages below the session of somebody who is signed in. */
export function SessionProvider({
  session,
  children,
}: {
  session: Session & { user: SessionUser };
  children: ReactNode;
}) {
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** Returns the session of a page that only a user sees. */
export function useSession(): Session & { readonly user: SessionUser } {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession needs a SessionProvider.');
  return session;
}

/** Returns whether the user may change something. */
export function useIsAdmin(): boolean {
  return useSession().user.role === 'admin';
}
