import type { Source } from '@svc/sdk';
import type { Column } from '../../terminal/table.ts';

export const SOURCE_COLUMNS: readonly Column<Source>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'PLATFORM', cell: ({ platform }) => ({ text: platform }) },
  { header: 'CONNECTION', cell: ({ connectionId }) => ({ text: String(connectionId) }) },
  { header: 'CRM', cell: ({ crm }) => ({ text: crm }), dropOrder: 3 },
  { header: 'DESTINATIONS', cell: ({ destinations }) => ({ text: String(destinations.length) }), dropOrder: 1 },
  {
    header: 'REPLY RELAY',
    cell: ({ replyRelay }) => ({ text: replyRelay?.ccEmail ?? '' }),
    dropOrder: 2,
    canShrink: true,
  },
  // Never shortened, so that it can be copied.
  { header: 'URL', cell: ({ url }) => ({ text: url }) },
];
