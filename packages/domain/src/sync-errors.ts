/** What the `error` of a sync shows (specification, "Sync") when the CRM was not even asked. */

export interface SyncErrorDetails {
  /** For programs. */
  readonly code: string;
  /** For people: what went wrong and what to do. */
  readonly message: string;
  /** Of the CRM's answer; null when there was none. */
  readonly httpStatus: number | null;
}

/** The connection has no token. */
export function crmDisconnectedError(crm: string): SyncErrorDetails & { readonly [key: string]: unknown } {
  return {
    code: 'crm_disconnected',
    message: `${crm} is disconnected: connect it again, then retry the sync.`,
    httpStatus: null,
  };
}
