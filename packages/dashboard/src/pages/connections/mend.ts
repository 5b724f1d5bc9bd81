interface Mend {
  /** What the link says. */
  readonly label: string;
  /** A path within the account. */
  readonly href: string;
}

/** Returns where a blocker or warning of the account's status is mended. An unknown code leads to its connection. */
export function findMend({ code, connectionId }: { code: string; connectionId: number }): Mend {
  switch (code) {
    case 'crm_disconnected':
      return { label: 'Reconnect', href: `/connections/${connectionId}` };
    case 'destinations_not_configured':
      return { label: 'Add a destination', href: '/destinations' };
    case 'blocklists_not_configured':
      return { label: 'Add a block list', href: '/blocklists' };
    case 'blocklists_error':
      return { label: 'Open the block lists', href: '/blocklists' };
    case 'source_events_not_understood':
      return { label: 'Show the requests', href: `/requests?outcome=unparsed&connection=${connectionId}` };
    default:
      return { label: 'Open the connection', href: `/connections/${connectionId}` };
  }
}
