import type { Sync } from '@svc/sdk';
import type { Tone } from '../../terminal/colors.ts';
import { formatValue, type RecordLine, toMinute } from '../../format/record.ts';
import type { Column } from '../../terminal/table.ts';

export const SYNC_TONES: Readonly<Record<string, Tone>> = { success: 'good', warning: 'warn', error: 'bad' };

export const SYNC_COLUMNS: readonly Column<Sync>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'STATUS', cell: ({ status }) => ({ text: status, tone: SYNC_TONES[status] }) },
  { header: 'TIME', cell: ({ createdAt }) => ({ text: toMinute(createdAt) }) },
  { header: 'EVENT', cell: ({ eventType }) => ({ text: eventType }), canShrink: true },
  { header: 'RECIPIENT', cell: ({ toEmail }) => ({ text: toEmail }), canShrink: true },
  { header: 'PLATFORM', cell: ({ platform }) => ({ text: platform }), dropOrder: 2 },
  { header: 'CONNECTION', cell: ({ connectionId }) => ({ text: String(connectionId) }), dropOrder: 3 },
  { header: 'SOURCE', cell: ({ sourceId }) => ({ text: formatValue(sourceId) }), dropOrder: 4 },
  { header: 'REQUEST', cell: ({ payloadId }) => ({ text: formatValue(payloadId) }), dropOrder: 5 },
];

export function syncLines(sync: Sync): RecordLine[] {
  return [
    { label: 'Sync', text: String(sync.id) },
    { label: 'Status', text: sync.status, tone: SYNC_TONES[sync.status] },
    { label: 'Time', text: sync.createdAt },
    { label: 'Event', text: sync.eventType },
    { label: 'Recipient', text: sync.toEmail },
    { label: 'Platform', text: sync.platform },
    { label: 'Connection', text: String(sync.connectionId) },
    { label: 'Source', text: sync.sourceId === null ? 'deleted' : String(sync.sourceId) },
    { label: 'Request', text: sync.payloadId === null ? 'unknown' : String(sync.payloadId) },
    { label: 'Error', text: sync.error === null ? 'none' : JSON.stringify(sync.error) },
  ];
}
