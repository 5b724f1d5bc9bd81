import { AUTO_REPLY, toStatusCategory } from './categories.ts';
import { readColumnContact, readColumns } from './columns.ts';
import { toBodyKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { toEmailAddress, toInstant } from './field-values.ts';
import { BODY_TEXT_MAX, field, firstOf, type JsonObject, toId, toInteger, toText } from './json-fields.ts';
import { fieldsExcept, toLeadUrl } from './lead-fields.ts';
import type { InboundCategory, ItemContext, ItemResult } from './types.ts';

/**
 * Reads an event of Instantly.
 *
 * The documentation promises one schema for all events, in which `timestamp`, `event_type`, `workspace`, `campaign_id` and
 * `campaign_name` are always present.
 *
 * In practice:
 * - There is no event id and no signature. The key is the hash of the body, because a retry repeats only the body.
 * - The event name differs from the one subscribed to: `email_link_clicked` arrives as `link_clicked`.
 * - The lead's columns arrive as extra keys, spelled as the user spelled them (`firstName`, `First Name`, `first_name`): "Additional
 *   lead data fields from your database may appear as extra keys" (developer.instantly.ai/webhook-events, read on 2026-11-27). So every
 *   key that is not of the schema is a custom field. `unibox_url`, of replies only, shows the conversation with the lead.
 *
 * Mapping: `auto_reply_received` is a category ("Auto reply"), not a reply, because it must neither count as contact nor reach
 * a sales rep. Every `lead_*` status (interested, meeting booked, ...) is a category with the event's name as id, except
 * `lead_unsubscribed`, which is a hard signal. Every other name of an event with a lead is a label that the user made ("Any custom
 * label configured in your workspace will be sent as-is", developer.instantly.ai/webhook-events): a category of that name.
 */
export function parseInstantly(item: JsonObject, context: ItemContext): ItemResult {
  const label = toText(field(item, 'event_type'));
  if (label === null) return { outcome: 'unparsed', reason: 'no event name in event_type' };
  // A label may have no letter or digit.
  const ownName = toEventName(label) ?? label;
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };
  if (WITHOUT_LEAD.has(ownName)) return { outcome: 'ignored', reason: `${ownName} concerns no lead` };

  const columns = readColumns(item);
  const toEmail = firstOf([field(item, 'lead_email'), columns.get('email')], toEmailAddress);
  const known = EVENT_TYPES.get(ownName);
  if (toEmail === null) {
    return known === undefined && !ownName.startsWith('LEAD_')
      ? { outcome: 'ignored', reason: `${ownName} concerns no lead` }
      : { outcome: 'unparsed', reason: `${ownName} without lead_email` };
  }

  const category = known === undefined ? readCategory(ownName, label) : null;
  const eventType = known ?? 'LEAD_CATEGORY_UPDATED';
  const isReply = field(item, 'reply_text') !== undefined || field(item, 'reply_html') !== undefined;
  return {
    outcome: 'event',
    event: {
      eventKey: toBodyKey(context),
      eventType,
      toEmail,
      occurredAt: toInstant(field(item, 'timestamp')),
      contact: {
        ...readColumnContact(columns, toEmail, {
          wholeName: ['leadname', 'fullname', 'name'],
          custom: fieldsExcept(item, SCHEMA),
        }),
        leadUrl: toLeadUrl(field(item, 'unibox_url')),
      },
      fromEmail: toEmailAddress(field(item, 'email_account')),
      // No field names another writer of a reply.
      replySender: null,
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

/** The keys of the documented schema, and the lead's address once more. */
const SCHEMA: ReadonlySet<string> = new Set([
  ...['timestamp', 'event_type', 'workspace', 'campaign_id', 'campaign_name', 'lead_email', 'email', 'email_account'],
  ...['unibox_url', 'step', 'variant', 'is_first', 'email_id', 'email_subject', 'email_text', 'email_html'],
  ...['reply_text_snippet', 'reply_subject', 'reply_text', 'reply_html'],
]);

const EVENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['EMAIL_SENT', 'EMAIL_SENT'],
  ['EMAIL_OPENED', 'EMAIL_OPEN'],
  ['LINK_CLICKED', 'EMAIL_LINK_CLICK'],
  ['EMAIL_LINK_CLICKED', 'EMAIL_LINK_CLICK'],
  ['REPLY_RECEIVED', 'EMAIL_REPLY'],
  ['EMAIL_BOUNCED', 'EMAIL_BOUNCE'],
  ['LEAD_UNSUBSCRIBED', 'LEAD_UNSUBSCRIBED'],
]);

/** Documented events of the account and of whole campaigns. */
const WITHOUT_LEAD: ReadonlySet<string> = new Set(['ACCOUNT_ERROR', 'CAMPAIGN_COMPLETED']);

function readCategory(ownName: string, label: string): InboundCategory {
  const id = ownName.toLowerCase();
  if (ownName === 'AUTO_REPLY_RECEIVED') return { id, name: AUTO_REPLY };
  const status = ownName.startsWith('LEAD_') ? ownName.slice('LEAD_'.length) : '';
  return status === '' ? { id, name: label } : toStatusCategory(id, status);
}
