/** What `lastError` of a block list shows when its source, the list at the CRM, could not be read. */

export function fetchErrorText(reason: string): string {
  return `The CRM list could not be read: ${reason}`;
}

/** What `lastError` shows when the entries could not be given to the sequencer. */
export function pushErrorText(reason: string): string {
  return `The entries could not be pushed: ${reason}`;
}

/** The connection has no token, so the CRM is not even asked. */
export function crmDisconnectedReason(crm: string): string {
  return `${crm} is disconnected: connect it again, then resync the list`;
}

/** Entries of a list at rest that the sequencer does not take; all the others were pushed. */
export function refusedEntriesText(count: number): string {
  const [entries, them] = count === 1 ? ['1 entry was', 'it'] : [`${count} entries were`, 'them'];
  return `${entries} refused by the sequencer: a resync tries ${them} again`;
}
