import type { InboundEvent } from '@svc/sequencers';
import type { CrmWrite } from '../port/types.ts';

/** Shorter values are words such as "Lead" that a CRM's own text may contain. */
const REDACTED_MIN_LENGTH = 4;
const TEXT_MAX_LENGTH = 4_000;
/** A CRM may repeat only the beginning of a longer value, such as a mail's text. */
const BEGINNING_LENGTH = 40;

/** Returns a function that removes these values from a CRM's text, in any case: CRMs repeat values in lower case. */
export function createRedaction(secrets: readonly string[]): (text: string) => string {
  const hidden = [...new Set(secrets)]
    .filter((text) => text.length >= REDACTED_MIN_LENGTH)
    .toSorted((a, b) => b.length - a.length);
  return (text) => hidden.reduce(replaceSecret, text.slice(0, TEXT_MAX_LENGTH));
}

function replaceSecret(text: string, secret: string): string {
  const result = replaceAnyCase(text, secret);
  if (secret.length <= BEGINNING_LENGTH) return result;
  // What follows may be more of the value, so the text ends here.
  const [before = '', ...after] = replaceAnyCase(result, secret.slice(0, BEGINNING_LENGTH), BEGINNING).split(BEGINNING);
  return after.length === 0 ? result : `${before}[…]`;
}

/** Stands for the beginning of a value; no text of a CRM contains it. */
const BEGINNING = '\u0000';

function replaceAnyCase(text: string, secret: string, replacement = '[…]'): string {
  if (secret.length > text.length) return text;
  const lower = text.toLowerCase();
  const wanted = secret.toLowerCase();
  // A few letters have a longer lower-case form, which would shift positions.
  if (lower.length !== text.length) return text.replaceAll(secret, () => replacement);
  let result = '';
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    result += `${text.slice(from, at)}${replacement}`;
    from = at + wanted.length;
  }
  return result + text.slice(from);
}

/** Returns the values that are written of an event, which a CRM may repeat in an error text. */
export function writtenValues({
  event,
  fields,
  lastValues,
}: Pick<CrmWrite, 'event' | 'fields' | 'lastValues'>): string[] {
  const values = [
    ...fields.flatMap(({ value, valueOfNew }) => [value, valueOfNew]),
    ...Object.values(lastValues ?? {}),
  ];
  return [...payloadValues(event), ...values.filter((value) => value !== null && value !== undefined).map(String)];
}

/** Returns the values of an event that a CRM may repeat in an error text. */
export function payloadValues({ contact, campaign, replySender, ...event }: InboundEvent): string[] {
  const { toEmail, fromEmail, subject, messageId, answeredMessageId, category, linkUrls, bodyText, bodyHtml } = event;
  const { custom, tags, ...details } = contact;
  const texts = [
    ...Object.values<string | null>(details),
    // `true` is a word of a CRM's own text.
    ...Object.values(custom).flatMap((value) => (typeof value === 'boolean' ? [] : String(value))),
    ...tags,
    toEmail,
    fromEmail,
    replySender?.email ?? null,
    replySender?.name ?? null,
    subject,
    messageId,
    answeredMessageId,
    campaign.name,
    bodyText,
    bodyHtml,
  ];
  return [...texts, category?.name ?? null, ...linkUrls].filter((text) => text !== null);
}
