import type { RequestReceipt } from '@svc/sdk';
import { formatValue, type RecordLine } from '../../format/record.ts';
import { timeCell } from '../../format/times.ts';
import type { Column } from '../../terminal/table.ts';

export const REQUEST_COLUMNS: readonly Column<RequestReceipt>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'TIME', cell: ({ createdAt }) => timeCell(createdAt) },
  { header: 'SOURCE', cell: ({ sourceId }) => idCell(sourceId) },
  { header: 'CONNECTION', cell: ({ connectionId }) => idCell(connectionId), dropOrder: 1, field: 'connectionId' },
  { header: 'PATH', cell: ({ path }) => ({ text: path }), canShrink: true },
];

/** The id is null if the source has been deleted. */
function idCell(id: number | null): { text: string; tone?: 'muted'; raw?: string } {
  return id === null ? { text: 'deleted', tone: 'muted', raw: '' } : { text: formatValue(id) };
}

export function requestLines({ id, createdAt, sourceId, connectionId, path }: RequestReceipt): RecordLine[] {
  return [
    { label: 'Request', text: String(id) },
    { label: 'Time', text: createdAt },
    { label: 'Source', ...idCell(sourceId) },
    { label: 'Connection', ...idCell(connectionId) },
    { label: 'Path', text: path },
  ];
}
