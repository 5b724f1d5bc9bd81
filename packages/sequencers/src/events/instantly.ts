import { toBodyKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { splitName, toDomain, toEmailAddress, toInstant, toPhone, toProfileUrl } from './field-values.ts';
import { BODY_TEXT_MAX, field, firstOf, type JsonObject, toId, toInteger, toText } from './json-fields.ts';
import type { InboundCategory, InboundContact, ItemContext, ItemResult } from './types.ts';

/**
 * Reads an event of Instantly.
 *
 * The documentation promises one schema for all events, in which `timestamp`, `event_type`, `workspace`, `campaign_id` and
 * `campaign_name` are always present.
 *
 * In practice:
 * - There is no event id and no signature. The key is the hash of the body, because a retry repeats only the body.
 * - The event name differs from the one subscribed to: `email_link_clicked` arrives as `link_clicked`.
 * - The lead's columns arrive as extra keys, spelled as the user spelled them (`firstName`, `First Name`, `first_name`).
 *
 * Mapping: `auto_reply_received` is a category ("Auto reply"), not a reply, because it must neither count as contact nor reach
 * a sales rep. Every `lead_*` status (interested, meeting booked, ...) is a category with the event's name as id, except
 * `lead_unsubscribed`, which is a hard signal.
 */
export function parseInstantly(item: JsonObject, context: ItemContext): ItemResult {
  const ownName = toEventName(field(item, 'event_type'));
  if (ownName === null) return { outcome: 'unparsed', reason: 'no event name in event_type' };
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };

  const columns = readColumns(item);
  const toEmail = firstOf([field(item, 'lead_email'), columns.get('email')], toEmailAddress);
  const known = EVENT_TYPES.get(ownName);
  if (toEmail === null) {
    return known === undefined && !ownName.startsWith('LEAD_')
      ? { outcome: 'ignored', reason: `${ownName} concerns no lead` }
      : { outcome: 'unparsed', reason: `${ownName} without lead_email` };
  }

  const category = readCategory(ownName, known !== undefined);
  const eventType = known ?? (category === null ? ownName : 'LEAD_CATEGORY_UPDATED');
  const isReply = field(item, 'reply_text') !== undefined || field(item, 'reply_html') !== undefined;
  return {
    outcome: 'event',
    event: {
      eventKey: toBodyKey(context),
      eventType,
      toEmail,
      occurredAt: toInstant(field(item, 'timestamp')),
      contact: readContact(columns, toEmail),
      fromEmail: toEmailAddress(field(item, 'email_account')),
      campaign: { id: toId(field(item, 'campaign_id')), name: toText(field(item, 'campaign_name')) },
      subject: toText(field(item, isReply ? 'reply_subject' : 'email_subject')),
      bodyHtml: toText(field(item, isReply ? 'reply_html' : 'email_html'), BODY_TEXT_MAX),
      bodyText: firstOf(
        isReply ? [field(item, 'reply_text'), field(item, 'reply_text_snippet')] : [field(item, 'email_text')],
        (value) => toText(value, BODY_TEXT_MAX),
      ),
      messageId: toId(field(item, 'email_id')),
      // The schema has no field for it.
      answeredMessageId: null,
      category,
      // The schema has no field for the link.
      linkUrls: [],
      sequenceNumber: toInteger(field(item, 'step')),
    },
  };
}

const EVENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['EMAIL_SENT', 'EMAIL_SENT'],
  ['EMAIL_OPENED', 'EMAIL_OPEN'],
  ['LINK_CLICKED', 'EMAIL_LINK_CLICK'],
  ['EMAIL_LINK_CLICKED', 'EMAIL_LINK_CLICK'],
  ['REPLY_RECEIVED', 'EMAIL_REPLY'],
  ['EMAIL_BOUNCED', 'EMAIL_BOUNCE'],
  ['LEAD_UNSUBSCRIBED', 'LEAD_UNSUBSCRIBED'],
]);

function readCategory(ownName: string, isMapped: boolean): InboundCategory | null {
  const id = ownName.toLowerCase();
  if (ownName === 'AUTO_REPLY_RECEIVED') return { id, name: 'Auto reply' };
  if (isMapped || !ownName.startsWith('LEAD_')) return null;
  const words = id.slice('lead_'.length).replaceAll('_', ' ');
  return words === '' ? null : { id, name: words.charAt(0).toUpperCase() + words.slice(1) };
}

/** A lead can have hundreds of columns; the known ones come first. */
const COLUMNS_MAX = 500;

/** Indexes the keys by their letters and digits: `First Name` and `first_name` become `firstname`. */
function readColumns(item: JsonObject): ReadonlyMap<string, unknown> {
  const columns = new Map<string, unknown>();
  for (const key of Object.keys(item).slice(0, COLUMNS_MAX)) {
    if (key.length > 64) continue;
    const bare = key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    if (!columns.has(bare)) columns.set(bare, field(item, key));
  }
  return columns;
}

function readContact(columns: ReadonlyMap<string, unknown>, email: string): InboundContact {
  const named = (...names: string[]) => names.map((name) => columns.get(name));
  const whole = splitName(firstOf(named('leadname', 'fullname', 'name'), toText));
  return {
    email,
    profileUrl: firstOf(named('linkedin', 'linkedinurl', 'linkedinprofile'), toProfileUrl),
    firstName: firstOf(named('firstname'), toText) ?? whole.firstName,
    lastName: firstOf(named('lastname'), toText) ?? whole.lastName,
    companyName: firstOf(named('companyname', 'company'), toText),
    companyDomain: firstOf(named('companydomain', 'companyurl', 'companywebsite', 'website', 'domain'), toDomain),
    jobTitle: firstOf(named('jobtitle', 'title', 'position'), toText),
    phone: firstOf(named('phone', 'phonenumber'), toPhone),
  };
}
