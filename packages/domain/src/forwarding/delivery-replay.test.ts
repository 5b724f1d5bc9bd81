import { expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { assertDeliveryReplayable, type DeliveryReplayFacts } from './delivery-replay.ts';

testRuleCases('delivery-replay', ({ rule }) => {
  rule<{ delivery: DeliveryReplayFacts | null; wanted: { destinationId: number; deliveryId: number } }>(
    'assertDeliveryReplayable',
    ({ delivery, wanted }) => assertDeliveryReplayable(delivery, wanted),
  );
});

test('narrows the type to a delivery with payload', () => {
  const delivery: (DeliveryReplayFacts & { id: number }) | null = {
    id: 13,
    destinationId: 4,
    payloadId: 11,
    isPayloadKept: true,
  };
  assertDeliveryReplayable(delivery, { destinationId: 4, deliveryId: 13 });
  const payloadId: number = delivery.payloadId;
  expect([delivery.id, payloadId]).toEqual([13, 11]);
});
