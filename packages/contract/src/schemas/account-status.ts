/** The answer of `getAccountStatus`. */
import * as z from 'zod';
import { BLOCKER_CODES, COMPONENT_STATUSES, WARNING_CODES } from '../vocabulary.ts';
import {
  countSchema,
  crmSchema,
  integerIdSchema,
  openVocabulary,
  platformSchema,
  sequencerEventTypeSchema,
  timestampSchema,
} from './fields.ts';

export const componentStatusSchema = openVocabulary(COMPONENT_STATUSES);
export const blockerCodeSchema = openVocabulary(BLOCKER_CODES);
export const warningCodeSchema = openVocabulary(WARNING_CODES);

export const crmConnectionStatusSchema = z.looseObject({
  status: componentStatusSchema,
  crm: crmSchema,
  organizationId: z.string(),
  organizationDomain: z.string(),
});

export const sourcesStatusSchema = z.looseObject({
  status: componentStatusSchema,
  count: countSchema,
  platforms: z.array(platformSchema),
});

export const destinationsStatusSchema = z.looseObject({
  status: componentStatusSchema,
  count: countSchema,
  eventTypes: z.array(sequencerEventTypeSchema),
  forwardingCount: countSchema,
  replyRelayCount: countSchema,
});

export const blocklistsStatusSchema = z.looseObject({
  status: componentStatusSchema,
  enabledCount: countSchema,
  lastError: z.string().nullable(),
  lastFetchedAt: timestampSchema.nullable(),
});

export const connectionStatusSchema = z.looseObject({
  connectionId: integerIdSchema,
  crm: crmSchema,
  ready: z.boolean(),
  crmConnection: crmConnectionStatusSchema,
  sources: sourcesStatusSchema,
  destinations: destinationsStatusSchema,
  blocklists: blocklistsStatusSchema,
});

const issueFields = {
  connectionId: integerIdSchema,
  crm: crmSchema,
  message: z.string(),
  remediation: z.string(),
  docUrl: z.url(),
};

export const blockerSchema = z.looseObject({ code: blockerCodeSchema, ...issueFields });
export const warningSchema = z.looseObject({ code: warningCodeSchema, ...issueFields });

export const accountStatusResponseSchema = z.looseObject({
  ready: z.boolean(),
  checkedAt: timestampSchema,
  connections: z.array(connectionStatusSchema),
  blockers: z.array(blockerSchema),
  warnings: z.array(warningSchema),
});
