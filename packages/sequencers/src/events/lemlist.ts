import { toStatusCategory } from './categories.ts';
import { readColumnContact, readColumns } from './columns.ts';
import { deriveKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { isSalesNavigatorUrl, toEmailAddress, toInstant, toLinkUrls } from './field-values.ts';
import { BODY_TEXT_MAX, field, firstOf, type JsonObject, objectField, toId, toInteger, toText } from './json-fields.ts';
import { fieldsExcept } from './lead-fields.ts';
import type { InboundCategory, ItemContext, ItemResult } from './types.ts';

/**
 * Reads an activity of lemlist: one flat object per POST.
 *
 * How certain it is:
 * - The names and their meaning: the vendor's page "Add Webhook".
 * - Mails sent, opened, clicked, replied and bounced, a LinkedIn reply and `interested`: the fields that a public typed integration
 *   declares, which also names those that every activity has.
 * - The fields that every activity has, at the API that lists them: the vendor's help "Use the API to list activity types" and its
 *   page "Get Many Activities" (read on 2026-11-26). We take a post to be the same object; no live post verified it.
 * - Bodies of the other activities have not been found. They are read by the fields that every activity has, and are unparsed
 *   without an address and a profile.
 *
 * In practice:
 * - `_id` is the id of the activity. A retry and a second webhook of the team repeat it.
 * - The lead's address is in `email`, or in `leadEmail` in other versions of the API, and so are the names. The lead's custom
 *   variables are extra keys of the activity, or in `lead.variables`, spelled as the user spelled them: the vendor's help lists the
 *   system fields, "plus all custom variables from your lead" (help.lemlist.com "Use the API to list activity types", read on
 *   2026-11-27). So every key that is not a system field is a custom field.
 * - `name` is the campaign's name. `bot` says that a program opened or clicked.
 * - `secret` is the shared secret of the webhook. It is never read here.
 * - `text` is the HTML of a mail, and plain text of a LinkedIn message. Some replies have only its beginning, `messagePreview`.
 *
 * Mapping: `interested`, `notInterested` and their variants per channel, and `meetingBooked`, are a category. The groups `contacted`, `hooked`, `attracted`
 * and `warmed` report an activity a second time and are ignored. A lead of LinkedIn only is identified by the profile URL. Opens and
 * clicks of a bot are types of their own, which are no touches; their key is that of the type without the mark.
 */
export function parseLemlist(item: JsonObject, context: ItemContext): ItemResult {
  const ownName = toActivityName(field(item, 'type'));
  if (ownName === null) return { outcome: 'unparsed', reason: 'no activity in type' };
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };
  if (GROUPS.has(ownName)) return { outcome: 'ignored', reason: `${ownName} repeats an activity` };

  const category = readCategory(ownName);
  const known = category === null ? EVENT_TYPES.get(ownName) : 'LEAD_CATEGORY_UPDATED';
  const lead = objectField(item, 'lead');
  const variables = objectField(lead, 'variables');
  const columns = readColumns(item, variables);
  const email = firstOf([columns.get('email'), columns.get('leademail')], toEmailAddress);
  const contact = {
    ...readColumnContact(columns, email, {
      custom: [...fieldsExcept(item, SYSTEM_FIELDS), ...fieldsExcept(variables, ADDRESS)],
    }),
    leadId: firstOf([field(item, 'leadId'), field(lead, '_id')], toId),
  };
  const toEmail = email ?? contact.profileUrl;
  if (toEmail === null) {
    const salesNavigatorUrls = [columns.get('linkedinurl'), columns.get('linkedinurlsalesnav')];
    if (salesNavigatorUrls.some(isSalesNavigatorUrl))
      return { outcome: 'unparsed', reason: `${ownName} ${ONLY_SALES_NAVIGATOR}` };
    return known === undefined
      ? { outcome: 'ignored', reason: `${ownName} concerns no lead` }
      : { outcome: 'unparsed', reason: `${ownName} without email and linkedinUrl` };
  }

  const eventType = known ?? ownName;
  const campaign = {
    id: toId(field(item, 'campaignId')),
    name: firstOf([field(item, 'campaignName'), field(item, 'name')], toText),
  };
  return {
    outcome: 'event',
    event: {
      eventKey: toEventKey(item, { eventType, toEmail, campaignId: campaign.id }, context),
      eventType: field(item, 'bot') === true ? (BY_BOT.get(eventType) ?? eventType) : eventType,
      toEmail,
      occurredAt: toInstant(field(item, 'createdAt')),
      contact,
      fromEmail: toEmailAddress(field(item, 'sendUserEmail')),
      // No field names another writer of a reply.
      replySender: null,
      campaign,
      subject: toText(field(item, 'subject')),
      ...readBody(item, eventType),
      messageId: toId(field(item, 'messageId')),
      // Only one message id is reported.
      answeredMessageId: null,
      category,
      linkUrls: toLinkUrls([field(item, 'clickedUrl')]),
      sequenceNumber: toInteger(field(item, 'sequenceStep')),
    },
  };
}

/** The fields that lemlist documents or sends, and `secret`, which no CRM may receive. */
const SYSTEM_FIELDS: ReadonlySet<string> = new Set([
  ...[
    '_id',
    'type',
    'createdAt',
    'createdBy',
    'bot',
    'isFirst',
    'metaData',
    'secret',
    'relatedSentAt',
    'sequenceTested',
  ],
  ...['teamId', 'leadId', 'contactId', 'companyId', 'opportunityId', 'campaignId', 'campaignName', 'name'],
  ...[
    'sequenceId',
    'sequenceStep',
    'totalSequenceStep',
    'emailId',
    'emailTemplateId',
    'messageId',
    'userId',
    'userName',
  ],
  ...['sendUserId', 'sendUserEmail', 'sendUserName', 'sendUserMailboxId', 'errorMessage', 'clickedUrl', 'note'],
  ...['subject', 'text', 'message', 'messagePreview', 'email', 'leadEmail', 'leadFirstName', 'leadLastName'],
  ...['leadCompanyName', 'leadPhone', 'leadPicture'],
]);
const ADDRESS: ReadonlySet<string> = new Set(['email']);

const EVENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['EMAILS_SENT', 'EMAIL_SENT'],
  ['EMAILS_OPENED', 'EMAIL_OPEN'],
  ['EMAILS_CLICKED', 'EMAIL_LINK_CLICK'],
  ['EMAILS_REPLIED', 'EMAIL_REPLY'],
  ['EMAILS_BOUNCED', 'EMAIL_BOUNCE'],
  ['EMAILS_UNSUBSCRIBED', 'LEAD_UNSUBSCRIBED'],
  ['LINKEDIN_SENT', 'MESSAGE_SENT'],
  ['LINKEDIN_REPLIED', 'MESSAGE_REPLY'],
  ['LINKEDIN_INVITE_DONE', 'CONNECTION_REQUEST_SENT'],
  ['LINKEDIN_INVITE_ACCEPTED', 'CONNECTION_REQUEST_ACCEPTED'],
  ['LINKEDIN_VISIT_DONE', 'PROFILE_VIEWED'],
  ['LINKEDIN_FOLLOW_DONE', 'FOLLOW_SENT'],
  ['LINKEDIN_LIKE_LAST_POST_DONE', 'POST_LIKED'],
]);

const BY_BOT: ReadonlyMap<string, string> = new Map([
  ['EMAIL_OPEN', 'EMAIL_OPEN_BY_BOT'],
  ['EMAIL_LINK_CLICK', 'EMAIL_LINK_CLICK_BY_BOT'],
]);

/** States of a lead that stand for several activities. */
const GROUPS: ReadonlySet<string> = new Set(['CONTACTED', 'HOOKED', 'ATTRACTED', 'WARMED']);

/** Turns `linkedinInviteDone` into `LINKEDIN_INVITE_DONE`. */
function toActivityName(value: unknown): string | null {
  return toEventName(toText(value, 64)?.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_'));
}

function readCategory(ownName: string): InboundCategory | null {
  if (ownName === 'MEETING_BOOKED') return toStatusCategory(ownName, ownName);
  const [, isNot] = /^(?:(?:EMAILS|LINKEDIN|AIRCALL|API|MANUAL)_)?(NOT_)?INTERESTED$/.exec(ownName) ?? [null, null];
  if (isNot === null) return null;
  return isNot === undefined
    ? { id: 'interested', name: 'Interested' }
    : { id: 'notInterested', name: 'Not interested' };
}

const ONLY_SALES_NAVIGATOR =
  'has only a link of Sales Navigator, which names no public profile: give the lead an email or a linkedinUrl at lemlist';

/** An opened or clicked mail is not kept again. */
function readBody(item: JsonObject, eventType: string): { bodyHtml: string | null; bodyText: string | null } {
  if (eventType === 'EMAIL_BOUNCE') {
    return { bodyHtml: null, bodyText: toText(field(item, 'errorMessage'), BODY_TEXT_MAX) };
  }
  const places = [field(item, 'text'), field(item, 'message'), field(item, 'messagePreview')];
  const text = WITH_TEXT.has(eventType) ? firstOf(places, (value) => toText(value, BODY_TEXT_MAX)) : null;
  const isHtml = text !== null && eventType.startsWith('EMAIL_') && /<[a-z!/]/i.test(text);
  return isHtml ? { bodyHtml: text, bodyText: null } : { bodyHtml: null, bodyText: text };
}

const WITH_TEXT: ReadonlySet<string> = new Set(['EMAIL_SENT', 'EMAIL_REPLY', 'MESSAGE_SENT', 'MESSAGE_REPLY']);

interface Identity {
  eventType: string;
  toEmail: string;
  campaignId: string | null;
}

/** The type is part of the key, because it is not documented that `_id` differs between the types that one activity causes. */
function toEventKey(item: JsonObject, { eventType, toEmail, campaignId }: Identity, context: ItemContext): string {
  const id = toId(field(item, '_id'));
  if (id !== null) return deriveKey([id, eventType]);
  const createdAt = toInstant(field(item, 'createdAt'))?.toISOString() ?? null;
  const body = createdAt === null ? [context.bodyHash, String(context.index)] : [];
  return deriveKey([eventType, toEmail, campaignId, toId(field(item, 'sequenceStep')), createdAt, ...body]);
}
