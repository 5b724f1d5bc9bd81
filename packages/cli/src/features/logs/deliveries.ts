import type { Delivery, ReplayQueued } from '@svc/sdk';
import type { Tone } from '../../terminal/colors.ts';
import { formatValue, type RecordLine } from '../../format/record.ts';
import { timeCell } from '../../format/times.ts';
import type { Column } from '../../terminal/table.ts';
import { LONG_TEXT } from './error-columns.ts';

const TONES: Readonly<Record<string, Tone>> = { success: 'good', error: 'bad' };

export const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'STATUS', field: 'status', cell: ({ status }) => ({ text: status, tone: TONES[status] }) },
  { header: 'HTTP', cell: ({ httpStatus }) => ({ text: formatValue(httpStatus) }) },
  { header: 'TIME', cell: ({ createdAt }) => timeCell(createdAt) },
  { header: 'EVENT', field: 'eventType', cell: ({ eventType }) => ({ text: formatValue(eventType) }), canShrink: true },
  { header: 'DEST', cell: ({ destinationId }) => ({ text: String(destinationId) }) },
  { header: 'RECIPIENT', cell: ({ toEmail }) => ({ text: formatValue(toEmail) }), canShrink: true },
  { header: 'ERROR', cell: ({ error }) => ({ text: formatValue(error) }), dropOrder: 1, field: 'error', ...LONG_TEXT },
  {
    header: 'URL',
    cell: ({ destinationUrl }) => ({ text: destinationUrl }),
    dropOrder: 2,
    field: 'destinationUrl',
    canShrink: true,
  },
  { header: 'SOURCE', cell: ({ sourceId }) => ({ text: formatValue(sourceId) }), dropOrder: 3, field: 'sourceId' },
  { header: 'REQUEST', cell: ({ payloadId }) => ({ text: formatValue(payloadId) }), dropOrder: 4, field: 'payloadId' },
];

export function deliveryLines(delivery: Delivery): RecordLine[] {
  const { id, status, httpStatus, createdAt, eventType, toEmail, error, destinationId, destinationUrl } = delivery;
  const { connectionId, sourceId, payloadId } = delivery;
  return [
    { label: 'Delivery', text: String(id) },
    { label: 'Status', text: status, tone: TONES[status] },
    { label: 'Answer', text: httpStatus === null ? 'none' : `HTTP ${httpStatus}`, raw: formatValue(httpStatus) },
    { label: 'Error', text: error ?? 'none', raw: error ?? '' },
    { label: 'Time', text: createdAt },
    { label: 'Event', text: eventType ?? 'unknown' },
    { label: 'Recipient', text: toEmail ?? 'unknown' },
    { label: 'Destination', text: `${destinationId} ${destinationUrl}` },
    { label: 'Connection', text: String(connectionId) },
    { label: 'Source', text: formatValue(sourceId ?? 'unknown') },
    { label: 'Request', text: formatValue(payloadId ?? 'unknown') },
  ];
}

export function replayLines({ destinationId, payloadId }: ReplayQueued, deliveryId: number): RecordLine[] {
  return [
    { label: 'Delivery', text: String(deliveryId) },
    { label: 'Replay', text: 'queued', tone: 'good' },
    { label: 'Destination', text: String(destinationId) },
    { label: 'Request', text: String(payloadId) },
  ];
}
