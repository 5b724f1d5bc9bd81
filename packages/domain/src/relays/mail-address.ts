/** Addresses in the headers of a mail. Nothing in them may end the header or start another address. */

export interface MailAddress {
  /** Empty without one. */
  readonly name: string;
  readonly address: string;
}

/**
 * The local part is ASCII: others need a mail server with SMTPUTF8 on the whole way, and a mail that has one in a header is refused
 * elsewhere. Mail libraries encode the domain.
 */
const ADDRESS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[\p{L}\p{M}\p{N}._-]{1,253}$/u;
const NAMED = /^(?:"([^"\\]*)"|([^"<>,;:\\()[\]@]*?))\s*<([^<>]+)>$/;

/** Parses `name <address>` or an address; null when it is neither. */
export function parseMailAddress(text: string): MailAddress | null {
  const trimmed = text.trim();
  if (trimmed.length > 500 || /\p{Cc}/u.test(trimmed)) return null;
  const [, quoted, plain, inBrackets] = NAMED.exec(trimmed) ?? [];
  const address = inBrackets?.trim() ?? trimmed;
  return ADDRESS.test(address) ? { name: quoted ?? plain ?? '', address } : null;
}

/** Returns an address with a display name of one line; null when the address cannot stand in a header. */
export function toMailAddress(address: string | null, name: string): MailAddress | null {
  if (address === null || address.length > 254 || !ADDRESS.test(address)) return null;
  return { name: toHeaderText(name, 200), address };
}

/** Returns text as one line without control characters, at most `lengthMax` long. */
export function toHeaderText(text: string, lengthMax: number): string {
  return text
    .slice(0, lengthMax * 4)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, lengthMax)
    .toWellFormed();
}

/** Returns the part after the `@`, in lower case. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
