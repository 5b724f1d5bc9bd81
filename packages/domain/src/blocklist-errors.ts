/** What `lastError` of a block list shows when its source, the list at the CRM, could not be read. */

export function fetchErrorText(reason: string): string {
  return `The CRM list could not be read: ${reason}`;
}

/** The connection has no token, so the CRM is not even asked. */
export function crmDisconnectedReason(crm: string): string {
  return `${crm} is disconnected: connect it again, then resync the list`;
}
