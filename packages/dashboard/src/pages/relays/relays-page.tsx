import { Link, useLocation } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { useOperation } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { RelayForm } from './relay-form.tsx';

const LEAD = "A reply of a lead is mailed to the sales rep, with the lead's address to answer to.";

export default function RelaysPage() {
  const accountId = useAccountId();
  const [, navigate] = useLocation();
  const isAdmin = useIsAdmin();
  const relays = useOperation('relays/list', { accountId });
  const add = isAdmin ? (
    <DialogButton label="Add a relay" button={{ kind: 'primary' }} title="Add a reply relay" isWide>
      {(close) => (
        <RelayForm
          relay={null}
          onDone={(id) => {
            close();
            navigate(`/relays/${id}`);
          }}
          onCancel={close}
        />
      )}
    </DialogButton>
  ) : null;
  return (
    <Page title="Reply relays" lead={LEAD} actions={add}>
      <Loaded query={relays}>
        {({ replyRelays: rows }) => (
          <Table
            label="Reply relays"
            rows={rows}
            keyOf={(row) => row.id}
            empty={<Empty>There are no relays yet. Add one for a sales rep, then bind it to a source.</Empty>}
            columns={[
              {
                header: 'Sales rep',
                align: 'wide',
                cell: (row) => <Link href={`/relays/${row.id}`}>{row.ccEmail}</Link>,
              },
              { header: 'Description', align: 'wide', cell: (row) => row.description },
              { header: 'Connection', align: 'number', cell: (row) => row.connectionId },
              {
                header: 'Delay',
                align: 'number',
                cell: (row) => (row.delayMinutes === 0 ? 'none' : `${row.delayMinutes} min`),
              },
              {
                header: 'Categories',
                cell: (row) => row.categoryAllowlist.map((each) => each.name).join(', ') || 'all',
              },
              {
                header: 'Sources',
                cell: (row) => row.sourceIds.join(', ') || 'none: it does nothing',
              },
            ]}
          />
        )}
      </Loaded>
      <CommandHint operation="relays/list" input={{ accountId }} />
    </Page>
  );
}
