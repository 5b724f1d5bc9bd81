/**
 * Message ids of mails (RFC 5322, "Identification fields").
 *
 * 1. An id of a payload is used in a header only when it is well formed: `<left@right>` of visible ASCII without spaces; the
 *    brackets may be missing. Anything else, such as a row id of the platform, is no message id.
 * 2. A relay mail has the same id at every attempt, made from relay, event and the time of the event, at the domain of its
 *    sender. So a mail program, and this service, recognize a repeated mail.
 */

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const DOT_ATOM = `${ATOM}(?:\\.${ATOM})*`;
const MESSAGE_ID = new RegExp(`^<?(${DOT_ATOM}@(?:${DOT_ATOM}|\\[[0-9A-Fa-f.:]{2,45}\\]))>?$`);
/** Longer ids would need a line of their own that is longer than a mail may have. */
const LENGTH_MAX = 500;

/** Returns the id in its brackets; null when it is not well formed. */
export function toMessageId(text: string | null): string | null {
  if (text === null || text.length > LENGTH_MAX) return null;
  const id = MESSAGE_ID.exec(text.trim())?.[1];
  return id === undefined ? null : `<${id}>`;
}

/** Returns the id of the mail of a relay for an event. */
export function relayMessageId(mail: {
  readonly relayId: number;
  readonly eventId: number;
  readonly receivedAt: Date;
  /** Domain of the sender. */
  readonly domain: string;
}): string {
  const { relayId, eventId, receivedAt, domain } = mail;
  return `<svc-relay.${relayId}.${eventId}.${receivedAt.getTime().toString(36)}@${domain}>`;
}

/** Whether a message id has the form of `relayMessageId`, at any domain. */
export function isOwnMessageId(text: string | null): boolean {
  return text !== null && /^\s*<?svc-relay\.\d+\.\d+\.[0-9a-z]+@/i.test(text);
}
