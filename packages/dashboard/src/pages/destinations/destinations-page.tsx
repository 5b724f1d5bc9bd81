import { Link, useLocation } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { useConnectionChoices } from '../../data/choices.ts';
import { useOperation } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

const LEAD = 'URLs of yours that received events are forwarded to, as the sequencer sent them.';

export default function DestinationsPage() {
  const accountId = useAccountId();
  const isAdmin = useIsAdmin();
  const destinations = useOperation('destinations/list', { accountId });
  return (
    <Page title="Destinations" lead={LEAD} actions={isAdmin && <AddDestination />}>
      <Loaded query={destinations}>
        {({ destinations: rows }) => (
          <Table
            label="Destinations"
            rows={rows}
            keyOf={(row) => row.id}
            empty={<Empty>There are no destinations yet. Add a URL, then bind it to a source.</Empty>}
            columns={[
              { header: 'Id', align: 'number', cell: (row) => row.id },
              { header: 'URL', align: 'wide', cell: (row) => <Link href={`/destinations/${row.id}`}>{row.url}</Link> },
              { header: 'Description', align: 'wide', cell: (row) => row.description },
              { header: 'Connection', cell: (row) => row.connectionId },
              {
                header: 'Sources',
                cell: ({ bindings }) =>
                  bindings.length === 0 ? (
                    <Status tone="warn">none: it receives nothing</Status>
                  ) : (
                    bindings.map(({ sourceId }) => sourceId).join(', ')
                  ),
              },
              { header: 'Added', cell: (row) => <Time at={row.createdAt} /> },
            ]}
          />
        )}
      </Loaded>
      <CommandHint operation="destinations/list" input={{ accountId }} />
    </Page>
  );
}

function AddDestination() {
  const [, navigate] = useLocation();
  const connections = useConnectionChoices();
  return (
    <DialogButton label="Add a destination" button={{ kind: 'primary' }} title="Add a destination">
      {(close) => (
        <OperationForm
          operation="destinations/add"
          fields={['url', 'connectionId', 'description']}
          texts={{
            url: { label: 'URL', hint: 'An https URL at a public address.', placeholder: 'https://hooks.example.com' },
            connectionId: { label: 'Connection', hint: 'Only its sources can be bound.', options: connections },
            description: { label: 'Description (optional)', hint: 'What it is, for the people here.' },
          }}
          action="Add"
          done="The destination is added. Bind it to a source."
          onDone={({ destination }) => {
            close();
            navigate(`/destinations/${destination.id}`);
          }}
          onCancel={close}
        />
      )}
    </DialogButton>
  );
}
