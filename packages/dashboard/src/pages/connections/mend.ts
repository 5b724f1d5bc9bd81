import type { BlockerCode, WarningCode } from '@svc/contract/vocabulary';

interface Mend {
  /** What the link says. */
  readonly label: string;
  /** A path within the account. */
  readonly href: string;
}

/** Where each blocker and warning of the account's status is mended. */
export const MENDS: Readonly<Record<BlockerCode | WarningCode, (connectionId: number) => Mend>> = {
  crm_disconnected: (connectionId) => ({ label: 'Reconnect', href: `/connections/${connectionId}` }),
  // The page shows the error, the checks of the CRM and what is left of its quota.
  crm_connection_error: (connectionId) => ({ label: 'Open the connection', href: `/connections/${connectionId}` }),
  destinations_not_configured: () => ({ label: 'Add a destination', href: '/destinations' }),
  blocklists_not_configured: () => ({ label: 'Add a block list', href: '/blocklists' }),
  blocklists_error: () => ({ label: 'Open the block lists', href: '/blocklists' }),
  // The message names the sources, and each request leads to its source.
  source_events_not_understood: (connectionId) => ({
    label: 'Show the requests',
    href: `/requests?outcome=unparsed&connection=${connectionId}`,
  }),
};

/** Returns where a blocker or warning is mended. An unknown code, such as one of a newer server, leads to its connection. */
export function findMend({ code, connectionId }: { code: string; connectionId: number }): Mend {
  const mend = Object.hasOwn(MENDS, code) ? MENDS[code as keyof typeof MENDS] : MENDS.crm_connection_error;
  return mend(connectionId);
}
