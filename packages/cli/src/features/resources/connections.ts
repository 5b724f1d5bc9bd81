import type { Connection } from '@svc/sdk';
import { componentCell } from '../status/render.ts';
import type { RecordLine } from '../../format/record.ts';
import { dayCell } from '../../format/times.ts';
import type { Column } from '../../terminal/table.ts';

export const CONNECTION_COLUMNS: readonly Column<Connection>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'CRM', cell: ({ crm }) => ({ text: crm }) },
  { header: 'STATUS', cell: ({ status }) => componentCell(status) },
  { header: 'ORGANIZATION', cell: ({ organizationDomain }) => ({ text: organizationDomain }), canShrink: true },
  { header: 'CAPABILITIES', cell: ({ capabilities }) => ({ text: enabled(capabilities) }), canShrink: true },
  { header: 'CREATED', field: 'createdAt', cell: ({ createdAt }) => dayCell(createdAt), dropOrder: 1 },
];

function enabled(capabilities: Connection['capabilities']): string {
  const names = Object.entries(capabilities).flatMap(([name, isEnabled]) => (isEnabled === true ? [name] : []));
  return names.join(', ') || 'none';
}

export function connectionLines(connection: Connection): RecordLine[] {
  const { id, crm, status, organizationId, organizationDomain, capabilities, createdAt } = connection;
  return [
    { label: 'Connection', text: String(id) },
    { label: 'CRM', text: crm },
    { label: 'Status', ...componentCell(status) },
    { label: 'Organization', text: `${organizationDomain} (${organizationId})` },
    { label: 'Capabilities', text: enabled(capabilities) },
    { label: 'Created', text: createdAt },
  ];
}
