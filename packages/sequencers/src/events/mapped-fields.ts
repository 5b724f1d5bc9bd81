/** The parsers of the fields that a mapping can name: what counts as a value of each. */
import type { DateOrder, MappedField } from '@svc/domain/mappings/event-mapping';
import { toEventName } from './event-name.ts';
import { splitName, toDomain, toEmailAddress, toLinkUrls, toPhone, toProfileUrl } from './field-values.ts';
import { toInstant } from './instants.ts';
import { BODY_TEXT_MAX, isJsonObject, toId, toInteger, toText } from './json-fields.ts';
import { namedValues, toCustomFields, toLeadUrl, toTags } from './lead-fields.ts';

/** Long enough for ids that are put together of several parts, which must not be cut. */
const KEY_MAX_LENGTH = 50_000;

export const FIELD_PARSERS = {
  // Some bodies tell what they are by a field such as `is_reply`.
  eventName: (value) => toEventName(typeof value === 'boolean' ? String(value) : value),
  eventKey: (value: unknown) => (typeof value === 'string' ? toText(value, KEY_MAX_LENGTH) : toId(value)),
  occurredAt: (value: unknown, order?: DateOrder) => toInstant(value, order),
  email: toEmailAddress,
  profileUrl: toProfileUrl,
  firstName: (value: unknown) => toText(value),
  lastName: (value: unknown) => toText(value),
  fullName: (value: unknown) => (splitName(value).firstName === null ? null : toText(value)),
  companyName: (value: unknown) => toText(value),
  companyDomain: toDomain,
  jobTitle: (value: unknown) => toText(value),
  phone: toPhone,
  // One value has a name only together with its path.
  custom: (value: unknown) =>
    notEmpty(toCustomFields(isJsonObject(value) || Array.isArray(value) ? namedValues(value) : [['value', value]])),
  tags: (value: unknown) => notEmpty(toTags(value)),
  leadId: toId,
  leadUrl: toLeadUrl,
  fromEmail: toEmailAddress,
  campaignId: toId,
  campaignName: (value: unknown) => toText(value),
  sequenceNumber: toInteger,
  subject: (value: unknown) => toText(value),
  bodyHtml: (value: unknown) => toText(value, BODY_TEXT_MAX),
  bodyText: (value: unknown) => toText(value, BODY_TEXT_MAX),
  messageId: toId,
  answeredMessageId: toId,
  categoryId: toId,
  categoryName: (value: unknown) => toText(value),
  linkUrls: (value: unknown) => notEmpty(toLinkUrls([value])),
  isAutomaticReply: toFlag,
} as const satisfies Record<MappedField, (value: unknown, order?: DateOrder) => unknown>;

export type FieldValue<Name extends MappedField> = NonNullable<ReturnType<(typeof FIELD_PARSERS)[Name]>>;

function notEmpty<Values extends object>(values: Values): Values | null {
  return Object.keys(values).length === 0 ? null : values;
}

function toFlag(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const text = toId(value)?.toLowerCase();
  return text === undefined ? null : ['true', '1', 'yes'].includes(text);
}
