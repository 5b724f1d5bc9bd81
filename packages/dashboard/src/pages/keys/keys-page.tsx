import { useState } from 'react';
import { useAccountId } from '../../data/account.tsx';
import { useConnectionChoices } from '../../data/choices.ts';
import { type AdminResult, useOperation, usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { ShownOnce } from '../../parts/copy.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { Status, Tag } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

type Key = AdminResult<'keys/list'>['keys'][number];

const LEAD = 'What scripts and other programs call the API with. Users of the dashboard need none.';

export default function KeysPage() {
  const accountId = useAccountId();
  const isAdmin = useIsAdmin();
  const keys = useOperation('keys/list', { accountId });
  const [token, setToken] = useState<string | null>(null);
  const create = isAdmin ? <CreateKey onToken={setToken} /> : null;
  return (
    <Page title="API keys" lead={LEAD} actions={create}>
      {token !== null && <ShownOnce secret={token} label="Copy the key" />}
      <Loaded query={keys}>
        {({ keys: rows }) => (
          <Table
            label="API keys"
            rows={rows}
            keyOf={(row) => row.id}
            empty={<Empty>There are no keys yet. One that only reads is enough for monitoring and exports.</Empty>}
            columns={[
              { header: 'Name', align: 'wide', cell: (row) => row.name },
              { header: 'May', cell: (row) => row.scopes.join(', ') },
              {
                header: 'Sees',
                cell: (row) => (row.connectionId === null ? 'all connections' : `connection ${row.connectionId}`),
              },
              {
                header: 'State',
                cell: (row) => <Status tone={row.state === 'valid' ? 'good' : 'neutral'}>{row.state}</Status>,
              },
              { header: 'Created', cell: (row) => <Time at={row.createdAt} /> },
              { header: 'Expires', cell: (row) => <Time at={row.expiresAt} none="never" /> },
              { header: 'Last used', cell: (row) => <Time at={row.lastUsedAt} none="never" /> },
              { header: 'Id', align: 'number', cell: (row) => <Tag>{row.id}</Tag> },
              {
                header: <span className="visually-hidden">Actions</span>,
                cell: (row) => (isAdmin && row.state === 'valid' ? <Actions row={row} onToken={setToken} /> : null),
              },
            ]}
          />
        )}
      </Loaded>
      <CommandHint operation="keys/list" input={{ accountId }} />
    </Page>
  );
}

function CreateKey({ onToken }: { onToken: (token: string) => void }) {
  const accountId = useAccountId();
  const connections = useConnectionChoices();
  return (
    <DialogButton label="New key" button={{ kind: 'primary' }} title="New key">
      {(close) => (
        <OperationForm
          operation="keys/create"
          fields={['name', 'scopes', 'connectionId', 'expires']}
          fixed={{ accountId }}
          texts={{
            name: { label: 'Name', placeholder: 'nightly export' },
            scopes: {
              label: 'May',
              hint: undefined,
              options: [
                { value: 'read', label: 'read' },
                { value: 'write', label: 'read, retry, resync and change webhooks' },
              ],
            },
            connectionId: { label: 'Restricted to', options: connections },
            expires: { label: 'Expires', placeholder: 'never, or 90d' },
          }}
          action="Create"
          onDone={({ token }) => {
            onToken(token);
            close();
          }}
          onCancel={close}
        />
      )}
    </DialogButton>
  );
}

function Actions({ row, onToken }: { row: Key; onToken: (token: string) => void }) {
  const rotate = usePerform('keys/rotate', { done: ({ replacedKeyId }) => `Key ${replacedKeyId} is replaced.` });
  const revoke = usePerform('keys/revoke', { done: ({ key }) => `Key ${key.id} is revoked.` });
  return (
    <>
      <ConfirmButton
        label="Rotate"
        button={{ isSmall: true }}
        title={`Replace the key "${row.name}"?`}
        description="A new key with the same name and rights is shown once. The present one gets a 401 at once."
        action="Replace"
        onConfirm={async () => onToken((await rotate.mutateAsync({ id: row.id })).token)}
      />{' '}
      <ConfirmButton
        label="Revoke"
        button={{ isSmall: true }}
        title={`Revoke the key "${row.name}"?`}
        description="Programs that use it get a 401 at once. This cannot be undone."
        action="Revoke"
        onConfirm={() => revoke.mutateAsync({ id: row.id })}
      />
    </>
  );
}
