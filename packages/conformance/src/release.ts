/** What the suite leaves out, each with its reason. `coverage.test.ts` refuses entries that have become superfluous. */
import type { OperationId } from '@svc/contract/operations';

const ELSEWHERE = 'proven by packages/server/test; the cases here need receivers and a CRM on the target';

/** Operations without any case. */
export const WITHOUT_CASES: Readonly<Partial<Record<OperationId, string>>> = {
  retrySync: ELSEWHERE,
  replayDelivery: ELSEWHERE,
  pauseBlocklist: ELSEWHERE,
  resyncBlocklist: 'the server has no block list pipeline yet',
  createWebhook: ELSEWHERE,
  listWebhooks: ELSEWHERE,
  getWebhook: ELSEWHERE,
  updateWebhook: ELSEWHERE,
  deleteWebhook: ELSEWHERE,
  rotateWebhookSecret: ELSEWHERE,
  testWebhook: ELSEWHERE,
  listWebhookDeliveries: ELSEWHERE,
  replayWebhookDelivery: ELSEWHERE,
  listEvents: ELSEWHERE,
  getEvent: ELSEWHERE,
};

/** Statuses without a case on any operation that has cases. */
export const WITHOUT_CASE: Readonly<Partial<Record<number, string>>> = {
  500: 'an unexpected failure cannot be asked for from outside; that none occurs is part of every case',
};
