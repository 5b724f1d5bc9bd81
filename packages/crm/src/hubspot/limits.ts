import type { CrmLimits } from '@svc/domain/syncs/crm-quota';

/**
 * HubSpot's published limits. Private apps: 100 or 190 calls in 10 s, and 250,000 to 1,000,000 a day for all private apps
 * of the account, by plan; both are in the headers of answers. Apps with OAuth: 110 calls in 10 s. The answers of searches
 * say nothing.
 */
export const HUBSPOT_LIMITS: CrmLimits = {
  window: { limit: 100, windowMs: 10_000 },
  search: { limit: 5, windowMs: 1_000 },
  daily: { limit: 250_000, unit: 'calls' },
};
