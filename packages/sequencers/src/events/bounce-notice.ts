import { isMailSystem } from '@svc/domain/contacts/mail-system';
import { toEmailAddress } from './field-values.ts';

/** Reads the notices that mail servers send when a mail could not be delivered, where a platform reports them as replies. */

/** The address is near the beginning; what follows is the returned mail. */
const NOTICE_MAX_LENGTH = 20_000;
const ADDRESS = /[a-z0-9._%+'-]{1,64}@[a-z0-9.-]{1,253}\.[a-z]{2,24}/gi;
/** The fields of a delivery status (RFC 3464) and the header that Exim and Google add. */
const RECIPIENT_FIELD =
  /^[ \t]*(?:final-recipient|original-recipient|x-failed-recipients)[ \t]*:[ \t]*(?:rfc822[ \t]*;[ \t]*)?<?([^\s<>;,]{3,320})/gim;

/**
 * Returns the recipient that a notice is about: the one that its delivery status names, else the first address in the text that is
 * neither our own nor a mail server's. Null when there is none.
 */
export function findBouncedAddress(texts: readonly (string | null)[], own: readonly (string | null)[]): string | null {
  const notices = texts.flatMap((text) => (text === null ? [] : [text.slice(0, NOTICE_MAX_LENGTH)]));
  const fields = notices.flatMap((text) => [...text.matchAll(RECIPIENT_FIELD)].map(([, address]) => address));
  const others = notices.flatMap((text) => text.match(ADDRESS) ?? []);
  for (const candidate of [...fields, ...others]) {
    const address = toEmailAddress(candidate);
    if (address !== null && !own.includes(address) && !isMailSystem(address)) return address;
  }
  return null;
}

/** Whether a notice says that the mail is only late: it may still arrive. */
export function isDelayNotice(subject: string | null, text: string | null): boolean {
  return (
    /\bdelay(?:ed)?\b/i.test(subject ?? '') ||
    /^[ \t]*action[ \t]*:[ \t]*delayed/im.test((text ?? '').slice(0, NOTICE_MAX_LENGTH))
  );
}
