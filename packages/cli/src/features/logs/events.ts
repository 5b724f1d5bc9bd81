import type { PlatformEvent, PlatformEventWithDeliveries } from '@svc/sdk';
import type { Paint, Tone } from '../../terminal/colors.ts';
import { formatValue, type RecordLine, renderRecord } from '../../format/record.ts';
import { timeCell } from '../../format/times.ts';
import { type Column, renderTable } from '../../terminal/table.ts';
import { WEBHOOK_DELIVERY_COLUMNS } from '../webhooks/columns.ts';

export const EVENT_TONES: Readonly<Record<string, Tone>> = { 'sync.failed': 'bad', 'sync.recovered': 'good' };

export const EVENT_COLUMNS: readonly Column<PlatformEvent>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: id }) },
  { header: 'TIME', cell: ({ createdAt }) => timeCell(createdAt) },
  { header: 'TYPE', cell: ({ type }) => ({ text: type, tone: EVENT_TONES[type] }) },
  {
    header: 'DELIVERED',
    cell: ({ delivered }) => ({ text: delivered ? 'yes' : 'no' }),
    dropOrder: 1,
    field: 'delivered',
  },
  {
    header: 'CONNECTION',
    cell: ({ connectionId }) => ({ text: formatValue(connectionId) }),
    dropOrder: 2,
    field: 'connectionId',
  },
  { header: 'SOURCE', cell: ({ sourceId }) => ({ text: formatValue(sourceId) }), dropOrder: 3, field: 'sourceId' },
  { header: 'SUMMARY', cell: ({ summary }) => ({ text: summary }), canShrink: true },
];

/** Renders an event with its data and deliveries. */
export function renderEvent(event: PlatformEventWithDeliveries, width: number, paint: Paint): string {
  const data = Object.entries(event.data).map(([name, value]): RecordLine => {
    return { label: `data.${name}`, text: formatValue(value) };
  });
  const record = renderRecord(
    [
      { label: 'Event', text: event.id },
      { label: 'Type', text: event.type, tone: EVENT_TONES[event.type] },
      { label: 'Time', text: event.createdAt },
      { label: 'Summary', text: event.summary },
      { label: 'Connection', text: event.connectionId === null ? 'the account' : String(event.connectionId) },
      { label: 'Source', text: event.sourceId === null ? 'none' : String(event.sourceId) },
      { label: 'Delivered', text: event.delivered ? 'yes' : 'no' },
      ...data,
    ],
    paint,
  );
  if (event.deliveries.length === 0) return `${record}\nThe event was not sent to any webhook.\n`;
  return `${record}\n${renderTable(event.deliveries, WEBHOOK_DELIVERY_COLUMNS, { width, paint })}`;
}
