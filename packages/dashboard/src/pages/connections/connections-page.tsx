import { useLocation } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { ConnectCrm } from './connect-crm.tsx';
import { ConnectionsTable } from './connections-table.tsx';

export default function ConnectionsPage() {
  const accountId = useAccountId();
  return (
    <Page
      title="Connections"
      lead="The CRMs that events of this account are written to."
      actions={<ConnectButton accountId={accountId} />}
    >
      <ConnectionsTable
        empty={
          <Empty action={<ConnectButton accountId={accountId} />}>
            No CRM is connected yet. Connect one, then add a source.
          </Empty>
        }
      />
      <CommandHint operation="connections/list" input={{ accountId }} />
    </Page>
  );
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
