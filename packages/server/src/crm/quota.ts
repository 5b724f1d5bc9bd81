import type { CrmQuota } from '@svc/crm';
import type { Context } from '../context.ts';

/** Returns the quota of one connection's calls. */
export function createCrmQuota(_ctx: Pick<Context, 'db' | 'clock'>, _connectionId: number): CrmQuota {
  return { take: async () => null, report: async () => {} };
}
