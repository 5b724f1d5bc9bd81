/** By what the contact of an event is known: an address, a profile, or both; and who wrote a reply. */

export interface ContactOfEvent {
  /** The address, or the profile URL when only that is known. */
  readonly toEmail: string;
  readonly contact: { readonly email: string | null; readonly profileUrl: string | null };
}

/** Returns the address in lower case; null when only a profile is known. */
export function emailOf({ contact, toEmail }: ContactOfEvent): string | null {
  return (contact.email ?? (isAddress(toEmail) ? toEmail : null))?.toLowerCase() ?? null;
}

/** Who wrote a reply in place of the contact: a colleague, or the contact from another address. */
export interface ReplySender {
  /** In lower case. */
  readonly email: string;
  readonly name: string | null;
}

export interface ReplyOfContact extends ContactOfEvent {
  /** Null: the contact wrote it. */
  readonly replySender: ReplySender | null;
  readonly contact: ContactOfEvent['contact'] & { readonly firstName: string | null; readonly lastName: string | null };
}

/** Returns who wrote a reply, as text: a name, else the address or the profile URL. */
export function writerNameOf({ replySender, contact, toEmail }: ReplyOfContact): string {
  if (replySender !== null) return replySender.name ?? replySender.email;
  return [contact.firstName, contact.lastName].filter((part) => part !== null).join(' ') || toEmail;
}

/** Returns the address that a reply was written from; null when only a profile is known. */
export function writerEmailOf(reply: ReplyOfContact): string | null {
  return reply.replySender?.email ?? emailOf(reply);
}

/** Returns the canonical profile URL; null when only an address is known. */
export function profileUrlOf({ contact, toEmail }: ContactOfEvent): string | null {
  return contact.profileUrl ?? (isAddress(toEmail) ? null : toEmail);
}

/** Canonical profile URLs contain no `@`. */
function isAddress(toEmail: string): boolean {
  return toEmail.includes('@');
}
