import type { Destination } from '@svc/sdk';
import type { RecordLine } from '../../format/record.ts';
import { dayCell } from '../../format/times.ts';
import type { Column } from '../../terminal/table.ts';

export const DESTINATION_COLUMNS: readonly Column<Destination>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'CONNECTION', cell: ({ connectionId }) => ({ text: String(connectionId) }) },
  {
    header: 'SOURCES',
    cell: ({ sourceIds }) => ({ text: sourceIds.join(', ') || 'none', raw: sourceIds.join(', ') }),
    canShrink: true,
  },
  {
    header: 'DESCRIPTION',
    field: 'description',
    cell: ({ description }) => ({ text: description }),
    dropOrder: 1,
    canShrink: true,
  },
  {
    header: 'DELAYED',
    field: 'isDelayed',
    cell: ({ isDelayed }) => ({ text: isDelayed ? 'yes' : 'no' }),
    dropOrder: 2,
  },
  {
    header: 'EVENTS',
    field: 'eventTypes',
    cell: ({ eventTypes }) => ({ text: eventTypes.join(', ') || 'none', raw: eventTypes.join(', ') }),
    dropOrder: 3,
    canShrink: true,
  },
  { header: 'CREATED', field: 'createdAt', cell: ({ createdAt }) => dayCell(createdAt), dropOrder: 4 },
  // Never shortened, so that it can be copied.
  { header: 'URL', cell: ({ url }) => ({ text: url }) },
];

export function destinationLines(destination: Destination): RecordLine[] {
  const { id, url, description, connectionId, eventTypes, isDelayed, sourceIds, createdAt } = destination;
  return [
    { label: 'Destination', text: String(id) },
    { label: 'URL', text: url },
    { label: 'Description', text: description },
    { label: 'Connection', text: String(connectionId) },
    { label: 'Sources', text: sourceIds.join(', ') || 'none', raw: sourceIds.join(', ') },
    { label: 'Events', text: eventTypes.join(', ') || 'none', raw: eventTypes.join(', ') },
    { label: 'Delayed', text: isDelayed ? 'yes' : 'no' },
    { label: 'Created', text: createdAt },
  ];
}
