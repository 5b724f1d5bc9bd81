import type { Source } from '@svc/sdk';
import { formatValue, type RecordLine } from '../../format/record.ts';
import type { Column } from '../../terminal/table.ts';

export const SOURCE_COLUMNS: readonly Column<Source>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'PLATFORM', cell: ({ platform }) => ({ text: platform }) },
  { header: 'CONNECTION', cell: ({ connectionId }) => ({ text: String(connectionId) }) },
  { header: 'CRM', field: 'crm', cell: ({ crm }) => ({ text: crm }), dropOrder: 3 },
  {
    header: 'DESTINATIONS',
    field: 'destinations',
    cell: ({ destinations }) => ({ text: String(destinations.length) }),
    dropOrder: 1,
  },
  {
    header: 'REPLY RELAY',
    field: 'replyRelay',
    cell: ({ replyRelay }) => ({ text: replyRelay?.ccEmail ?? '' }),
    dropOrder: 2,
    canShrink: true,
  },
  // Never shortened, so that it can be copied.
  { header: 'URL', cell: ({ url }) => ({ text: url }) },
];

export function sourceLines(source: Source): RecordLine[] {
  const { id, url, platform, connectionId, crm, config, destinations, replyRelay, createdAt } = source;
  return [
    { label: 'Source', text: String(id) },
    { label: 'URL', text: url },
    { label: 'Platform', text: platform },
    { label: 'Connection', text: `${connectionId} ${crm}` },
    ...Object.entries(config).map(([name, value]) => ({ label: `config.${name}`, text: formatValue(value) || 'none' })),
    ...destinations.map(({ url: target, eventTypes }) => ({
      label: 'Destination',
      text: `${target} (${eventTypes.join(', ') || 'no events'})`,
    })),
    ...(destinations.length === 0 ? [{ label: 'Destinations', text: 'none' }] : []),
    { label: 'Reply relay', text: replyRelay === null ? 'none' : `${replyRelay.id} to ${replyRelay.ccEmail}` },
    { label: 'Created', text: createdAt },
  ];
}
