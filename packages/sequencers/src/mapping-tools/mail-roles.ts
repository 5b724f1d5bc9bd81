/**
 * Tells whose address a key holds: the lead's or the sender's. `from` and `to` change places when the lead replies; a lead's own key and a mailbox do not.
 */
import { type JsonLeaf, toSingular } from './json-leaves.ts';
import { LEADS, OURS } from './place-names.ts';

export type MailRole = 'lead' | 'ours' | 'from' | 'to';

const FROM = ['from', 'sender', 'sending', 'author'];
const TO = ['to', 'recipient', 'receiver', 'target'];
const OF_LEADS = LEADS.filter((word) => !TO.includes(word));
/** A campaign's or an account's address is that of a mailbox. */
const OF_US = [...OURS.filter((word) => !FROM.includes(word)), 'account', 'campaign'];
/** Their address belongs to neither side of the mail. */
const NEITHER = ['cc', 'bcc', 'company', 'organization', 'forward', 'forwarded', 'creator'];

/** Returns the role of an address by the key next to it; `plain` when no key says whose it is, null for none of both sides. */
export function roleOf({ words }: Pick<JsonLeaf, 'words'>): MailRole | 'plain' | null {
  if (/\breply to\b/.test(words.join(' '))) return null;
  for (const word of words.toReversed().map(toSingular)) {
    if (NEITHER.includes(word)) return null;
    if (OF_LEADS.includes(word)) return 'lead';
    if (OF_US.includes(word)) return 'ours';
    if (FROM.includes(word)) return 'from';
    if (TO.includes(word)) return 'to';
  }
  return 'plain';
}
