import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import {
  type BlocklistRow,
  type ConnectionRow,
  type DeliveryRow,
  type DestinationRow,
  type EventRow,
  inboundUrl,
  isDelivered,
  type ReplyRelayRow,
  type RequestRow,
  type SourceRow,
  type SyncRow,
  toBlocklist,
  toConnection,
  toDelivery,
  toDestination,
  toPlatformEvent,
  toPlatformEventWithDeliveries,
  toReplyRelay,
  toRequestReceipt,
  toSource,
  toSync,
  toWebhookDelivery,
  toWebhookEndpoint,
  toWebhookEndpointWithSecret,
  type WebhookDeliveryRow,
  type WebhookRow,
} from './index.ts';

/** A row of a vector file; fields that end in `At` are ISO-8601 text. */
type RowData<Row> = { [Field in keyof Row]: Row[Field] extends Date ? string : Row[Field] };

function toRow<Row extends object>(data: RowData<Row>): Row {
  const toInstant = (field: string, value: unknown) =>
    field.endsWith('At') && typeof value === 'string' ? new Date(value) : value;
  return JSON.parse(JSON.stringify(data), toInstant);
}

testRuleCases('resources', ({ rule }) => {
  rule<RowData<ConnectionRow>>('toConnection', (row) => toConnection(toRow(row)));
  rule<{ row: RowData<SourceRow>; syncUrl: string }>('toSource', ({ row, syncUrl }) => toSource(toRow(row), syncUrl));
  rule<{ syncUrl: string; path: string }>('inboundUrl', ({ syncUrl, path }) => inboundUrl(syncUrl, path));
  rule<RowData<SyncRow>>('toSync', (row) => toSync(toRow(row)));
  rule<RowData<DestinationRow>>('toDestination', (row) => toDestination(toRow(row)));
  rule<RowData<ReplyRelayRow>>('toReplyRelay', (row) => toReplyRelay(toRow(row)));
  rule<RowData<BlocklistRow>>('toBlocklist', (row) => toBlocklist(toRow(row)));
  rule<RowData<RequestRow>>('toRequestReceipt', (row) => toRequestReceipt(toRow(row)));
  rule<RowData<DeliveryRow>>('toDelivery', (row) => toDelivery(toRow(row)));
  rule<RowData<WebhookRow>>('toWebhookEndpoint', (row) => toWebhookEndpoint(toRow(row)));
  rule<{ row: RowData<WebhookRow>; secret: string }>('toWebhookEndpointWithSecret', ({ row, secret }) =>
    toWebhookEndpointWithSecret(toRow(row), secret),
  );
  rule<RowData<WebhookDeliveryRow>>('toWebhookDelivery', (row) => toWebhookDelivery(toRow(row)));
  rule<{ row: RowData<EventRow>; delivered: boolean }>('toPlatformEvent', ({ row, delivered }) =>
    toPlatformEvent(toRow(row), delivered),
  );
  rule<{ row: RowData<EventRow>; deliveries: RowData<WebhookDeliveryRow>[] }>(
    'toPlatformEventWithDeliveries',
    ({ row, deliveries }) =>
      toPlatformEventWithDeliveries(
        toRow(row),
        deliveries.map((delivery) => toRow<WebhookDeliveryRow>(delivery)),
      ),
  );
});

describe('isDelivered', () => {
  test.each([
    ['SUCCEEDED', true],
    ['PENDING', false],
    ['FAILED', false],
    ['DEAD', false],
  ] as const)('%s: %s', (status, delivered) => {
    expect(isDelivered([{ status }])).toBe(delivered);
    expect(isDelivered([{ status: 'DEAD' }, { status }])).toBe(delivered);
  });
});

test('a resource shares no list with its row', () => {
  const enabledEvents = ['sync.failed'];
  const instant = new Date(0);
  const row = { id: 'oswhk_1', url: '', description: '', isActive: true, autoDisabledAt: null, enabledEvents };
  toWebhookEndpoint({ ...row, createdAt: instant, updatedAt: instant }).enabledEvents.push('test.ping');
  expect(enabledEvents).toEqual(['sync.failed']);
});
