import { deriveKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { toEmailAddress, toInstant, toLinkUrls, toProfileUrl } from './field-values.ts';
import { BODY_TEXT_MAX, field, firstOf, type JsonObject, toId, toInteger, toText } from './json-fields.ts';
import type { InboundCategory, ItemContext, ItemResult } from './types.ts';

/**
 * Reads an activity of lemlist: one flat object per POST.
 *
 * How certain it is:
 * - The names and their meaning: the vendor's page "Add Webhook".
 * - Mails sent, opened, clicked, replied and bounced, a LinkedIn reply and `interested`: the fields that a public typed integration
 *   declares, which also names those that every activity has.
 * - Bodies of the other activities have not been found. They are read by the fields that every activity has, and are unparsed
 *   without an address and a profile.
 *
 * In practice:
 * - `_id` is the id of the activity. A retry and a second webhook of the team repeat it.
 * - The lead's address is in `email`, or in `leadEmail` in other versions of the API, and so are the names.
 * - `secret` is the shared secret of the webhook. It is never read here.
 * - `text` is the HTML of a mail, and plain text of a LinkedIn message.
 *
 * Mapping: `interested`, `notInterested` and their variants per channel are a category. The groups `contacted`, `hooked`, `attracted`
 * and `warmed` report an activity a second time and are ignored. A lead of LinkedIn only is identified by the profile URL.
 */
export function parseLemlist(item: JsonObject, context: ItemContext): ItemResult {
  const ownName = toActivityName(field(item, 'type'));
  if (ownName === null) return { outcome: 'unparsed', reason: 'no activity in type' };
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };
  if (GROUPS.has(ownName)) return { outcome: 'ignored', reason: `${ownName} repeats an activity` };

  const category = readCategory(ownName);
  const known = category === null ? EVENT_TYPES.get(ownName) : 'LEAD_CATEGORY_UPDATED';
  const email = firstOf([field(item, 'email'), field(item, 'leadEmail')], toEmailAddress);
  const profileUrl = toProfileUrl(field(item, 'linkedinUrl'));
  const toEmail = email ?? profileUrl;
  if (toEmail === null) {
    return known === undefined
      ? { outcome: 'ignored', reason: `${ownName} concerns no lead` }
      : { outcome: 'unparsed', reason: `${ownName} without email and linkedinUrl` };
  }

  const eventType = known ?? ownName;
  const campaign = { id: toId(field(item, 'campaignId')), name: toText(field(item, 'campaignName')) };
  return {
    outcome: 'event',
    event: {
      eventKey: toEventKey(item, { eventType, toEmail, campaignId: campaign.id }, context),
      eventType,
      toEmail,
      occurredAt: toInstant(field(item, 'createdAt')),
      contact: {
        email,
        profileUrl,
        firstName: firstOf([field(item, 'firstName'), field(item, 'leadFirstName')], toText),
        lastName: firstOf([field(item, 'lastName'), field(item, 'leadLastName')], toText),
        companyName: firstOf([field(item, 'companyName'), field(item, 'leadCompanyName')], toText),
        // The payloads have no fields for these.
        companyDomain: null,
        jobTitle: null,
        phone: null,
      },
      fromEmail: toEmailAddress(field(item, 'sendUserEmail')),
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

/** States of a lead that stand for several activities. */
const GROUPS: ReadonlySet<string> = new Set(['CONTACTED', 'HOOKED', 'ATTRACTED', 'WARMED']);

/** Turns `linkedinInviteDone` into `LINKEDIN_INVITE_DONE`. */
function toActivityName(value: unknown): string | null {
  return toEventName(toText(value, 64)?.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_'));
}

function readCategory(ownName: string): InboundCategory | null {
  const [, isNot] = /^(?:(?:EMAILS|LINKEDIN|AIRCALL|API|MANUAL)_)?(NOT_)?INTERESTED$/.exec(ownName) ?? [null, null];
  if (isNot === null) return null;
  return isNot === undefined
    ? { id: 'interested', name: 'Interested' }
    : { id: 'notInterested', name: 'Not interested' };
}

/** An opened or clicked mail is not kept again. */
function readBody(item: JsonObject, eventType: string): { bodyHtml: string | null; bodyText: string | null } {
  if (eventType === 'EMAIL_BOUNCE') {
    return { bodyHtml: null, bodyText: toText(field(item, 'errorMessage'), BODY_TEXT_MAX) };
  }
  const text = WITH_TEXT.has(eventType) ? toText(field(item, 'text'), BODY_TEXT_MAX) : null;
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
