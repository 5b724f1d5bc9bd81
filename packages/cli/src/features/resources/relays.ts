import type { ReplyRelay } from '@svc/sdk';
import type { RecordLine } from '../../format/record.ts';
import { dayCell } from '../../format/times.ts';
import type { Column } from '../../terminal/table.ts';

export const RELAY_COLUMNS: readonly Column<ReplyRelay>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  {
    header: 'CONNECTION',
    field: 'connectionId',
    cell: ({ connectionId }) => ({ text: String(connectionId) }),
    dropOrder: 3,
  },
  { header: 'COPY TO', cell: ({ ccEmail }) => ({ text: ccEmail }), canShrink: true },
  { header: 'DELAY', cell: ({ delayMinutes }) => ({ text: `${delayMinutes} min`, raw: String(delayMinutes) }) },
  {
    header: 'SOURCES',
    cell: ({ sourceIds }) => ({ text: sourceIds.join(', ') || 'none', raw: sourceIds.join(', ') }),
    canShrink: true,
  },
  {
    header: 'ONLY FOR',
    // Empty means every reply.
    cell: ({ categoryAllowlist }) => ({ text: categoryAllowlist.map(({ name }) => name).join(', ') || 'all replies' }),
    canShrink: true,
  },
  {
    header: 'DESCRIPTION',
    field: 'description',
    cell: ({ description }) => ({ text: description }),
    dropOrder: 1,
    canShrink: true,
  },
  { header: 'CREATED', field: 'createdAt', cell: ({ createdAt }) => dayCell(createdAt), dropOrder: 2 },
];

export function relayLines(relay: ReplyRelay): RecordLine[] {
  const { id, connectionId, description, ccEmail, delayMinutes, categoryAllowlist, sourceIds, createdAt } = relay;
  return [
    { label: 'Reply relay', text: String(id) },
    { label: 'Copy to', text: ccEmail },
    { label: 'Description', text: description || 'none', raw: description },
    { label: 'Connection', text: String(connectionId) },
    { label: 'Sources', text: sourceIds.join(', ') || 'none', raw: sourceIds.join(', ') },
    { label: 'Delay', text: `${delayMinutes} min`, raw: String(delayMinutes) },
    { label: 'Only for', text: categoryAllowlist.map(({ name }) => name).join(', ') || 'all replies' },
    { label: 'Created', text: createdAt },
  ];
}
