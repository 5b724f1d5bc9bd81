/** The answer of `getMe`. */
import * as z from 'zod';
import { API_KEY_SCOPES, CONNECTION_SCOPES } from '../vocabulary.ts';
import { crmSchema, integerIdSchema } from './fields.ts';

export const apiKeyScopeSchema = z.enum(API_KEY_SCOPES);
export const connectionScopeSchema = z.enum(CONNECTION_SCOPES);

export const apiLinkSchema = z.looseObject({ href: z.url(), description: z.string() });

export const meLinksSchema = z.looseObject({
  accountStatus: apiLinkSchema,
  accountMetrics: apiLinkSchema,
  connections: apiLinkSchema,
  destinations: apiLinkSchema,
  requests: apiLinkSchema,
  destinationsReplyRelays: apiLinkSchema,
  sources: apiLinkSchema,
  contactsOutreach: apiLinkSchema,
  syncs: apiLinkSchema,
  documentation: apiLinkSchema,
  openapi: apiLinkSchema,
});

export const meAccountSchema = z.looseObject({ id: integerIdSchema, email: z.string() });

export const meApiKeySchema = z.looseObject({
  name: z.string(),
  scopes: z.array(apiKeyScopeSchema),
  connectionScope: connectionScopeSchema,
  connectionId: integerIdSchema.nullable(),
});

export const meConnectionSchema = z.looseObject({
  id: integerIdSchema,
  crm: crmSchema,
  organizationId: z.string(),
  organizationDomain: z.string(),
});

export const meResponseSchema = z.looseObject({
  account: meAccountSchema,
  apiKey: meApiKeySchema,
  connections: z.array(meConnectionSchema),
  links: meLinksSchema,
});
