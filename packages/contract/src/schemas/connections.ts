/** The answer of `listConnections`. */
import * as z from 'zod';
import { componentStatusSchema } from './account-status.ts';
import { crmSchema, integerIdSchema, timestampSchema } from './fields.ts';

export const connectionCapabilitiesSchema = z.looseObject({
  sync: z.boolean(),
  destinations: z.boolean(),
  blocklists: z.boolean(),
});

export const connectionSchema = z.looseObject({
  id: integerIdSchema,
  crm: crmSchema,
  status: componentStatusSchema,
  organizationId: z.string(),
  organizationDomain: z.string(),
  capabilities: connectionCapabilitiesSchema,
  createdAt: timestampSchema,
});

export const connectionListSchema = z.looseObject({ connections: z.array(connectionSchema) });
