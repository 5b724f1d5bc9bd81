/** The texts of `lastError` of a block list. */

export function fetchErrorText(reason: string): string {
  return `The CRM list could not be read: ${reason}`;
}

export function pushErrorText(reason: string): string {
  return `The entries could not be pushed: ${reason}`;
}

export function removalErrorText(reason: string): string {
  return `Entries could not be removed: ${reason}`;
}

/** Returns the text for a list of which so many entries left at once that none is removed. */
export function massRemovalText({ left, pushed }: { readonly left: number; readonly pushed: number }): string {
  return `${left} of ${pushed} entries left the CRM list at once, so none is removed: a resync removes them`;
}

/** Returns the reason of a fetch error when the connection has no CRM token. */
export function crmDisconnectedReason(crm: string): string {
  return `${crm} is disconnected: connect it again, then resync the list`;
}

/** A pattern of SQL for `refusedEntriesText`. */
export const REFUSED_ENTRIES_LIKE = '% refused by the sequencer: a resync tries %';

/** Returns the text for a list of which some entries were refused and all others were pushed. */
export function refusedEntriesText(count: number): string {
  const [entries, them] = count === 1 ? ['1 entry was', 'it'] : [`${count} entries were`, 'them'];
  return `${entries} refused by the sequencer: a resync tries ${them} again`;
}
