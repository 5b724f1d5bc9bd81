import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { useOperation } from '../../data/operations.ts';
import { Loaded } from '../../parts/page.tsx';
import { Tag } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { ConnectionStatus, QuotaLeft, type ShownConnection, Waiting } from './connection-status.tsx';
import { crmName } from './crm-names.ts';

/** Quotas change without an event that says so. */
const REFRESH_MS = 60_000;

/** The connections of the account, with their state and what waits. @param empty what is shown without one */
export function ConnectionsTable({ empty }: { empty: ReactNode }) {
  const accountId = useAccountId();
  const connections = useOperation('connections/list', { accountId }, { refetchInterval: REFRESH_MS });
  return (
    <Loaded query={connections}>
      {({ connections: rows, quotas, outages }) => (
        <Table
          label="Connections"
          rows={rows}
          keyOf={(row) => row.id}
          empty={empty}
          columns={[
            { header: 'Id', align: 'number', cell: (row) => row.id },
            {
              header: 'Organization',
              align: 'wide',
              cell: (row) => <Link href={`/connections/${row.id}`}>{row.organizationDomain}</Link>,
            },
            { header: 'CRM', cell: (row) => crmName(row.crm) },
            { header: 'State', cell: (row) => <ConnectionStatus status={row.status} /> },
            { header: 'Switched on', cell: (row) => <SwitchedOn connection={row} /> },
            {
              header: 'Calls left today',
              align: 'number',
              cell: (row) => <QuotaLeft quota={quotas.find(({ connectionId }) => connectionId === row.id)} />,
            },
            {
              header: 'Waiting',
              cell: (row) => (
                <Waiting
                  quota={quotas.find(({ connectionId }) => connectionId === row.id)}
                  outage={outages.find(({ connectionId }) => connectionId === row.id)}
                />
              ),
            },
          ]}
        />
      )}
    </Loaded>
  );
}

function SwitchedOn({ connection: { canUseApi, capabilities } }: { connection: ShownConnection }) {
  const names = [
    capabilities.sync && 'sync',
    capabilities.destinations && 'destinations',
    capabilities.blocklists && 'block lists',
    canUseApi && 'API',
  ].filter((name) => name !== false);
  return names.length === 0
    ? '–'
    : names.map((name) => (
        <Fragment key={name}>
          <Tag>{name}</Tag>{' '}
        </Fragment>
      ));
}
