/** The account that a page is about, and the client of the public API for it. */
import { type Client, createClient } from '@svc/sdk';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { apiUrl } from './base.ts';
import { send } from './http.ts';

interface Account {
  readonly id: number;
  readonly client: Client;
}

const AccountContext = createContext<Account | null>(null);

export function AccountProvider({ id, children }: { id: number; children: ReactNode }) {
  const account = useMemo(() => ({ id, client: clientOf(id) }), [id]);
  return <AccountContext value={account}>{children}</AccountContext>;
}

function clientOf(accountId: number): Client {
  return createClient({
    baseUrl: apiUrl(`accounts/${accountId}`),
    // The cookie of the session is the proof here.
    apiKey: null,
    fetch: send,
    pacing: 'off',
    maxRetries: 1,
  });
}

export function useAccountId(): number {
  return useAccount().id;
}

/** Returns the client of the public API for the account of the page. */
export function useClient(): Client {
  return useAccount().client;
}

function useAccount(): Account {
  const account = useContext(AccountContext);
  if (account === null) throw new Error('The page needs an AccountProvider.');
  return account;
}

/**
 * Reads from the public API. Changes and live events refresh it.
 *
 * @param key names what is read; two pages that use one key must read the same
 */
export function useApi<T>(
  key: readonly unknown[],
  read: (client: Client) => Promise<T>,
  options: { enabled?: boolean; refetchInterval?: number | false } = {},
) {
  const { id, client } = useAccount();
  return useQuery({ queryKey: ['api', id, ...key], queryFn: () => read(client), ...options });
}

/** Some of the status changes without an event that tells it. */
const STATUS_REFRESH_MS = 60_000;

/** Reads what the API says of the account's state: whether it is ready, and its blockers and warnings. */
export function useAccountStatus() {
  return useApi(['status'], (client) => client.account.status(), { refetchInterval: STATUS_REFRESH_MS });
}
