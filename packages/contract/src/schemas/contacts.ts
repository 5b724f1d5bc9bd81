/** The answer of `getContactOutreach`. */
import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { DO_NOT_CONTACT_REASONS } from '../vocabulary.ts';
import { countSchema, openVocabulary, platformSchema, sequencerEventTypeSchema, timestampSchema } from './fields.ts';

export const doNotContactReasonSchema = openVocabulary(DO_NOT_CONTACT_REASONS);

export const outreachQuerySchema = z.looseObject({
  email: z.string().nullable(),
  profileUrls: z.array(z.string()).max(LIMITS.profileUrlsMax),
});

export const outreachSummarySchema = z.looseObject({
  everContacted: z.boolean(),
  everEmailed: z.boolean(),
  everOpened: z.boolean(),
  everCalled: z.boolean(),
  everSocialTouched: z.boolean(),
  totalEvents: countSchema,
  firstTouchAt: timestampSchema.nullable(),
  lastTouchAt: timestampSchema.nullable(),
  daysSinceLastTouch: countSchema.nullable(),
  lastEventType: sequencerEventTypeSchema.nullable(),
  lastPlatform: platformSchema.nullable(),
});

export const outreachEventTypeSchema = z.looseObject({
  eventType: sequencerEventTypeSchema,
  count: z.int().min(1),
  firstAt: timestampSchema,
  lastAt: timestampSchema,
});

export const outreachPlatformSchema = z.looseObject({
  platform: platformSchema,
  count: z.int().min(1),
  lastAt: timestampSchema,
  lastEventType: sequencerEventTypeSchema,
});

export const outreachOutcomesSchema = z.looseObject({
  replied: z.boolean(),
  lastReplyAt: timestampSchema.nullable(),
  bounced: z.boolean(),
  unsubscribed: z.boolean(),
  lastCategoryName: z.string().nullable(),
  lastCategoryAt: timestampSchema.nullable(),
});

export const doNotContactSchema = z.looseObject({ value: z.boolean(), reasons: z.array(doNotContactReasonSchema) });

export const outreachBlocklistsSchema = z.looseObject({
  evaluated: z.boolean(),
  matched: z.boolean(),
  matches: z.array(z.unknown()),
});

export const contactOutreachResponseSchema = z.looseObject({
  email: z.string().nullable(),
  query: outreachQuerySchema,
  found: z.boolean(),
  summary: outreachSummarySchema,
  eventTypes: z.array(outreachEventTypeSchema),
  platforms: z.array(outreachPlatformSchema),
  outcomes: outreachOutcomesSchema,
  doNotContact: doNotContactSchema,
  blocklists: outreachBlocklistsSchema,
});
