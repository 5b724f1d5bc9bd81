import { Fragment } from 'react';
import { Link, useLocation } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { useOperation } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { Tag } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { ConnectCrm } from './connect-crm.tsx';
import { ConnectionStatus, QuotaLeft, type ShownConnection, Waiting } from './connection-status.tsx';
import { crmName } from './crm-names.ts';

export default function ConnectionsPage() {
  const accountId = useAccountId();
  const connections = useOperation('connections/list', { accountId });
  return (
    <Page
      title="Connections"
      lead="The CRMs that events of this account are written to."
      actions={<ConnectButton accountId={accountId} />}
    >
      <Loaded query={connections}>
        {({ connections: rows, quotas, outages }) => (
          <Table
            label="Connections"
            rows={rows}
            keyOf={(row) => row.id}
            empty={
              <Empty action={<ConnectButton accountId={accountId} />}>
                No CRM is connected yet. Connect one, then add a source.
              </Empty>
            }
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
      <CommandHint operation="connections/list" input={{ accountId }} />
    </Page>
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

function ConnectButton({ accountId }: { accountId: number }) {
  const [, navigate] = useLocation();
  if (!useIsAdmin()) return null;
  return (
    <DialogButton label="Connect a CRM" title="Connect a CRM" button={{ kind: 'primary' }}>
      {(close) => (
        <ConnectCrm
          accountId={accountId}
          onConnected={(id) => {
            close();
            navigate(`/connections/${id}`);
          }}
        />
      )}
    </DialogButton>
  );
}
