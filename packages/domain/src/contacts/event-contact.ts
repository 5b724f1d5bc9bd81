/** By what the contact of an event is known: an address, a profile, or both. */

export interface ContactOfEvent {
  /** The address, or the profile URL when only that is known. */
  readonly toEmail: string;
  readonly contact: { readonly email: string | null; readonly profileUrl: string | null };
}

/** Returns the address in lower case; null when only a profile is known. */
export function emailOf({ contact, toEmail }: ContactOfEvent): string | null {
  return (contact.email ?? (isAddress(toEmail) ? toEmail : null))?.toLowerCase() ?? null;
}

/** Returns the canonical profile URL; null when only an address is known. */
export function profileUrlOf({ contact, toEmail }: ContactOfEvent): string | null {
  return contact.profileUrl ?? (isAddress(toEmail) ? null : toEmail);
}

/** Canonical profile URLs contain no `@`. */
function isAddress(toEmail: string): boolean {
  return toEmail.includes('@');
}
