import type { CrmLimits } from '@svc/domain/syncs/crm-quota';

/**
 * Pipedrive's published limits: 20 to 480 calls in 2 s by plan and kind of token, 10 searches in 2 s on every plan, and
 * 30,000 tokens a day for each seat of the smallest plan, for all apps of the company. Headers say what is left, but not
 * in every answer.
 */
export const PIPEDRIVE_LIMITS: CrmLimits = {
  window: { limit: 20, windowMs: 2_000 },
  search: { limit: 10, windowMs: 2_000 },
  daily: { limit: 30_000, unit: 'tokens' },
};
