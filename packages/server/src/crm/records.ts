import type { CrmRecords } from '@svc/crm';
import type { Context } from '../context.ts';

/** Returns what is remembered of the records of one connection's CRM. */
export function createCrmRecords(_ctx: Pick<Context, 'db' | 'clock'>, _connectionId: number): CrmRecords {
  return { read: async () => new Map(), write: async () => {}, delete: async () => {} };
}
