import type { WebhookDelivery, WebhookEndpoint } from '@svc/sdk';
import type { Tone } from '../../terminal/colors.ts';
import { formatValue, type RecordLine } from '../../format/record.ts';
import { dayCell, timeCell } from '../../format/times.ts';
import type { Cell, Column } from '../../terminal/table.ts';

export const WEBHOOK_COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: id }) },
  { header: 'STATE', cell: stateCell },
  { header: 'URL', cell: ({ url }) => ({ text: url }), canShrink: true },
  {
    header: 'EVENTS',
    field: 'enabledEvents',
    cell: ({ enabledEvents }) => ({ text: describeEvents(enabledEvents) }),
    canShrink: true,
    dropOrder: 1,
  },
  {
    header: 'DESCRIPTION',
    field: 'description',
    cell: ({ description }) => ({ text: description }),
    canShrink: true,
    dropOrder: 2,
  },
  { header: 'CREATED', field: 'createdAt', cell: ({ createdAt }) => dayCell(createdAt), dropOrder: 3 },
];

export function webhookLines(webhook: WebhookEndpoint): RecordLine[] {
  return [
    { label: 'Webhook', text: webhook.id },
    { label: 'URL', text: webhook.url },
    { label: 'State', ...stateCell(webhook) },
    ...(webhook.autoDisabledAt === null ? [] : [{ label: 'Disabled', text: whyDisabled(webhook.autoDisabledAt) }]),
    { label: 'Events', text: describeEvents(webhook.enabledEvents) },
    { label: 'Description', text: webhook.description || 'none', raw: webhook.description },
    { label: 'Created', text: webhook.createdAt },
    { label: 'Updated', text: webhook.updatedAt },
  ];
}

const TONES: Readonly<Record<string, Tone>> = { PENDING: 'warn', SUCCEEDED: 'good', FAILED: 'bad', DEAD: 'bad' };

export const WEBHOOK_DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: id }) },
  { header: 'STATUS', cell: ({ status }) => ({ text: status, tone: TONES[status] }) },
  { header: 'CREATED', cell: ({ createdAt }) => timeCell(createdAt) },
  {
    header: 'ATTEMPTS',
    field: 'attemptCount',
    cell: ({ attemptCount }) => ({ text: String(attemptCount) }),
    dropOrder: 1,
  },
  { header: 'HTTP', cell: ({ lastHttpStatus }) => ({ text: formatValue(lastHttpStatus) }) },
  { header: 'ERROR', cell: ({ lastError }) => ({ text: lastError ?? '' }), canShrink: true, enoughWidth: 40 },
  {
    header: 'REPLAY OF',
    field: 'replayOfDeliveryId',
    cell: ({ replayOfDeliveryId }) => ({ text: replayOfDeliveryId ?? '' }),
    dropOrder: 2,
  },
];

export function webhookDeliveryLines(delivery: WebhookDelivery): RecordLine[] {
  const { status, lastHttpStatus, replayOfDeliveryId } = delivery;
  return [
    { label: 'Delivery', text: delivery.id },
    { label: 'Webhook', text: delivery.endpointId },
    { label: 'Status', text: status, tone: TONES[status] },
    { label: 'Attempts', text: String(delivery.attemptCount) },
    { label: 'Last attempt', text: delivery.lastAttemptAt ?? 'none yet', raw: delivery.lastAttemptAt ?? '' },
    {
      label: 'Last answer',
      text: lastHttpStatus === null ? 'none' : `HTTP ${lastHttpStatus}`,
      raw: formatValue(lastHttpStatus),
    },
    { label: 'Error', text: delivery.lastError ?? 'none', raw: delivery.lastError ?? '' },
    ...(replayOfDeliveryId === null ? [] : [{ label: 'Replay of', text: replayOfDeliveryId }]),
    { label: 'Created', text: delivery.createdAt },
  ];
}

function stateCell({ isActive, autoDisabledAt }: WebhookEndpoint): Cell {
  if (isActive) return { text: 'active', tone: 'good' };
  return autoDisabledAt === null ? { text: 'inactive', tone: 'muted' } : { text: 'auto-disabled', tone: 'bad' };
}

function whyDisabled(autoDisabledAt: string): string {
  return `by the service at ${autoDisabledAt}, after too many dead deliveries in a row`;
}

/** An empty list means all events. */
function describeEvents(enabledEvents: readonly string[]): string {
  return enabledEvents.length === 0 ? 'all' : enabledEvents.join(', ');
}
