import type { Sync } from '@svc/sdk';
import { ACCOUNT_STATUS, ME } from '../../../test/support/contract-answers.ts';
import { NOTHING_READ, type TopData } from './top-data.ts';

export const NOW_MS = Date.parse('2026-01-15T12:00:00.000Z');

export function sampleSync(id: number, changed: Partial<Sync> = {}): Sync {
  return {
    id,
    status: 'success',
    connectionId: 11,
    sourceId: 21,
    eventType: 'EMAIL_SENT',
    toEmail: `person${id}@example.com`,
    platform: 'smartlead',
    payloadId: 5000 + id,
    error: null,
    createdAt: new Date(NOW_MS - (1000 - id) * 1000).toISOString(),
    ...changed,
  };
}

/** A screen with 100 syncs, newest first, of which every tenth failed. */
export const SAMPLE: TopData = {
  ...NOTHING_READ,
  me: { ...ME, apiKey: { ...ME.apiKey, scopes: ['read', 'write'] } },
  status: { ...ACCOUNT_STATUS, checkedAt: new Date(NOW_MS).toISOString() },
  failing: [],
  blocklists: [],
  syncs: Array.from({ length: 100 }, (_, index) => {
    const id = 999 - index;
    return sampleSync(id, id % 10 === 0 ? { status: 'error', error: { message: 'The owner does not exist' } } : {});
  }),
  requests: [],
  clockOffsetMs: NOW_MS - Date.now(),
};
