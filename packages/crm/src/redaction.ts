import type { InboundEvent } from '@svc/sequencers';

/** Shorter values are words such as "Lead" that a CRM's own text may contain. */
const REDACTED_MIN_LENGTH = 4;
const TEXT_MAX_LENGTH = 4_000;

/** Returns a function that removes these values from a CRM's text, in any case: CRMs repeat values in lower case. */
export function createRedaction(secrets: readonly string[]): (text: string) => string {
  const hidden = secrets.filter((text) => text.length >= REDACTED_MIN_LENGTH).toSorted((a, b) => b.length - a.length);
  return (text) => hidden.reduce(replaceAnyCase, text.slice(0, TEXT_MAX_LENGTH));
}

function replaceAnyCase(text: string, secret: string): string {
  const lower = text.toLowerCase();
  const wanted = secret.toLowerCase();
  // A few letters have a longer lower-case form, which would shift positions.
  if (lower.length !== text.length) return text.replaceAll(secret, '[…]');
  let result = '';
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    result += `${text.slice(from, at)}[…]`;
    from = at + wanted.length;
  }
  return result + text.slice(from);
}

/** Returns the values of an event that a CRM may repeat in an error text. */
export function payloadValues({ contact, campaign, ...event }: InboundEvent): string[] {
  const { toEmail, fromEmail, subject, messageId, bodyText, bodyHtml } = event;
  const texts = [...Object.values(contact), toEmail, fromEmail, subject, messageId, campaign.name, bodyText, bodyHtml];
  return texts.filter((text) => text !== null);
}
