/** The answer of `listSources`. */
import * as z from 'zod';
import type { SourceConfig } from '../types.ts';
import {
  countSchema,
  crmSchema,
  integerIdSchema,
  platformSchema,
  sequencerEventTypeSchema,
  timestampSchema,
} from './fields.ts';

export const sourceConfigSchema = z.looseObject({
  createOrUpdateCompany: z.boolean(),
  createOrUpdateTask: z.boolean(),
  assignContactOwner: z.boolean(),
  salesforceObjectType: z.string().nullable(),
} satisfies Record<keyof SourceConfig, z.ZodType>);

export const sourceDestinationSchema = z.looseObject({
  url: z.string(),
  description: z.string(),
  eventTypes: z.array(sequencerEventTypeSchema),
  isDelayed: z.boolean(),
});

export const sourceReplyRelaySchema = z.looseObject({
  id: integerIdSchema,
  description: z.string(),
  ccEmail: z.string(),
  delayMinutes: countSchema,
});

export const sourceSchema = z.looseObject({
  id: integerIdSchema,
  url: z.url(),
  platform: platformSchema,
  connectionId: integerIdSchema,
  crm: crmSchema,
  config: sourceConfigSchema,
  destinations: z.array(sourceDestinationSchema),
  replyRelay: sourceReplyRelaySchema.nullable(),
  createdAt: timestampSchema,
});

export const sourceListSchema = z.looseObject({ sources: z.array(sourceSchema) });
