import type { Sync } from '@svc/sdk';
import type { Tone } from '../../terminal/colors.ts';
import { formatValue, type RecordLine } from '../../format/record.ts';
import { timeCell } from '../../format/times.ts';
import type { Column } from '../../terminal/table.ts';
import { LONG_TEXT } from './error-columns.ts';

export const SYNC_TONES: Readonly<Record<string, Tone>> = { success: 'good', warning: 'warn', error: 'bad' };

export const SYNC_COLUMNS: readonly Column<Sync>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'STATUS', field: 'status', cell: ({ status }) => ({ text: status, tone: SYNC_TONES[status] }) },
  { header: 'TIME', cell: ({ createdAt }) => timeCell(createdAt) },
  { header: 'EVENT', field: 'eventType', cell: ({ eventType }) => ({ text: eventType }), canShrink: true },
  { header: 'RECIPIENT', cell: ({ toEmail }) => ({ text: toEmail }), canShrink: true },
  { header: 'PLATFORM', cell: ({ platform }) => ({ text: platform }), dropOrder: 2, field: 'platform' },
  {
    header: 'CONNECTION',
    cell: ({ connectionId }) => ({ text: String(connectionId) }),
    dropOrder: 3,
    field: 'connectionId',
  },
  { header: 'SOURCE', cell: ({ sourceId }) => ({ text: formatValue(sourceId) }), dropOrder: 4, field: 'sourceId' },
  { header: 'REQUEST', cell: ({ payloadId }) => ({ text: formatValue(payloadId) }), dropOrder: 5, field: 'payloadId' },
  { header: 'ERROR', cell: ({ error }) => ({ text: errorMessage(error) }), dropOrder: 6, field: 'error', ...LONG_TEXT },
];

/** Returns the message in an error of a CRM, whose form depends on the CRM; else the whole error. */
export function errorMessage(error: Sync['error']): string {
  return typeof error?.message === 'string' ? error.message : formatValue(error);
}

export function syncLines(sync: Sync): RecordLine[] {
  return [
    { label: 'Sync', text: String(sync.id) },
    { label: 'Status', text: sync.status, tone: SYNC_TONES[sync.status] },
    { label: 'Time', text: sync.createdAt },
    { label: 'Event', text: sync.eventType },
    { label: 'Recipient', text: sync.toEmail },
    { label: 'Platform', text: sync.platform },
    { label: 'Connection', text: String(sync.connectionId) },
    {
      label: 'Source',
      text: sync.sourceId === null ? 'deleted' : String(sync.sourceId),
      raw: formatValue(sync.sourceId),
    },
    {
      label: 'Request',
      text: sync.payloadId === null ? 'unknown' : String(sync.payloadId),
      raw: formatValue(sync.payloadId),
    },
    { label: 'Error', text: sync.error === null ? 'none' : JSON.stringify(sync.error), raw: formatValue(sync.error) },
  ];
}
