import type { DeliveryStatus, SyncStatus } from '@svc/contract/vocabulary';
import { testRuleCases } from '../../test/rule-suite.ts';
import { countDeliveries, countSyncs, type HttpOutcome, isHttp2xx } from './metrics.ts';

testRuleCases('metrics', ({ rule }) => {
  rule<HttpOutcome>('isHttp2xx', isHttp2xx);
  rule<{ status: SyncStatus }[]>('countSyncs', countSyncs);
  rule<(HttpOutcome & { status: DeliveryStatus })[]>('countDeliveries', countDeliveries);
});
