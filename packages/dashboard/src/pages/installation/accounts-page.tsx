import { Link } from 'wouter';
import { type AdminResult, useOperation, usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { RemoveButton } from '../../forms/remove-button.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { SwitchField } from '../../parts/field.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

export default function AccountsPage() {
  const isAdmin = useIsAdmin();
  const accounts = useOperation('accounts/list', {});
  const create = isAdmin ? (
    <DialogButton label="New account" button={{ kind: 'primary' }} title="New account">
      {(close) => (
        <OperationForm
          operation="accounts/create"
          fields={['email', 'canUseWebhooks']}
          texts={{
            email: { label: 'Address of the owner' },
            canUseWebhooks: { label: 'May use webhooks and the event log' },
          }}
          action="Create"
          done={({ account }) => `Account ${account.id} is created.`}
          onDone={close}
          onCancel={close}
        />
      )}
    </DialogButton>
  ) : null;
  return (
    <Page title="Accounts" lead="Customers of this installation: everything else belongs to one." actions={create}>
      <Loaded query={accounts}>
        {({ accounts: rows }) => (
          <Table
            label="Accounts"
            rows={rows}
            keyOf={(row) => row.id}
            empty={<Empty>There are no accounts yet: everything begins with one.</Empty>}
            columns={[
              { header: 'Id', align: 'number', cell: (row) => row.id },
              { header: 'Owner', align: 'wide', cell: (row) => <Link href={`/accounts/${row.id}`}>{row.email}</Link> },
              { header: 'Webhooks', cell: (row) => <WebhooksSwitch account={row} /> },
              { header: 'Created', cell: (row) => <Time at={row.createdAt} /> },
              {
                header: <span className="visually-hidden">Actions</span>,
                cell: (row) => (
                  <RemoveButton operation="accounts/remove" id={row.id} what={`account ${row.id}`} isSmall />
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <CommandHint operation="accounts/list" input={{}} />
    </Page>
  );
}

function WebhooksSwitch({ account }: { account: AdminResult<'accounts/list'>['accounts'][number] }) {
  const isAdmin = useIsAdmin();
  const change = usePerform('capabilities/set');
  const { id, canUseWebhooks } = account;
  return (
    <SwitchField
      label={
        <>
          <span className="visually-hidden">Webhooks of account {id}: </span>
          {canUseWebhooks ? 'on' : 'off'}
        </>
      }
      checked={canUseWebhooks}
      disabled={!isAdmin || change.isPending}
      onChange={(isOn) => change.mutate({ accountId: id, canUseWebhooks: isOn })}
    />
  );
}
