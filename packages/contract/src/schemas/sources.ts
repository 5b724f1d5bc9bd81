/** The answer of `listSources`, and the config of a source. */
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

/** The config of a source for which nobody chose anything. Tests and worlds start from it, so that a new setting is added here. */
export const SOURCE_CONFIG_DEFAULTS: SourceConfig = {
  createOrUpdateCompany: false,
  createOrUpdateTask: false,
  assignContactOwner: false,
  salesforceObjectType: null,
};

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
