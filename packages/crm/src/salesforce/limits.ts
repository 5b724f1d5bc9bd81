import type { CrmLimits } from '@svc/domain/syncs/crm-quota';

/**
 * Salesforce's published limits: 15,000 calls (and more, by edition and licences) in the last 24 hours for the whole org,
 * in the header `Sforce-Limit-Info`. Nothing limits short calls in a short time: only calls of 20 s and more count as
 * concurrent ones, and ours end earlier.
 */
export const SALESFORCE_LIMITS: CrmLimits = {
  window: null,
  search: null,
  daily: { limit: 15_000, unit: 'calls' },
};
