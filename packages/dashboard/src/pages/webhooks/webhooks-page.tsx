import type { WebhookEndpointWithSecret } from '@svc/contract/types';
import { useState } from 'react';
import { Link } from 'wouter';
import { useApi, useClient } from '../../data/account.tsx';
import { useChange } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { TextHint } from '../../forms/command-hint.tsx';
import { ShownOnce } from '../../parts/copy.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { WebhookForm, type WebhookFields } from './webhook-form.tsx';
import { describeEvents, WebhookState } from './webhook-state.tsx';

const LEAD = 'The service posts to these URLs of yours when syncs fail and when they recover.';

export default function WebhooksPage() {
  const isAdmin = useIsAdmin();
  const webhooks = useApi(['webhooks'], (client) => client.webhooks.list());
  const [created, setCreated] = useState<WebhookEndpointWithSecret | null>(null);
  const create = isAdmin ? <CreateWebhook onCreated={setCreated} /> : null;
  return (
    <Page title="Webhooks" lead={LEAD} actions={create}>
      {created !== null && <ShownOnce secret={created.secret} label="Copy the signing secret" />}
      <Loaded query={webhooks}>
        {({ webhooks: rows }) => (
          <Table
            label="Webhooks"
            rows={rows}
            keyOf={(row) => row.id}
            empty={<Empty>There are no webhooks yet. Add a URL that receives the events of the service.</Empty>}
            columns={[
              { header: 'URL', align: 'wide', cell: (row) => <Link href={`/webhooks/${row.id}`}>{row.url}</Link> },
              { header: 'Description', align: 'wide', cell: (row) => row.description },
              { header: 'Events', cell: describeEvents },
              { header: 'State', cell: (row) => <WebhookState webhook={row} /> },
              { header: 'Added', cell: (row) => <Time at={row.createdAt} /> },
            ]}
          />
        )}
      </Loaded>
      <TextHint command="svc webhooks list" />
    </Page>
  );
}

function CreateWebhook({ onCreated }: { onCreated: (webhook: WebhookEndpointWithSecret) => void }) {
  return (
    <DialogButton label="Add a webhook" button={{ kind: 'primary' }} title="Add a webhook">
      {(close) => (
        <CreateForm
          onCreated={(webhook) => {
            onCreated(webhook);
            close();
          }}
          onCancel={close}
        />
      )}
    </DialogButton>
  );
}

function CreateForm({
  onCreated,
  onCancel,
}: {
  onCreated: (webhook: WebhookEndpointWithSecret) => void;
  onCancel: () => void;
}) {
  const client = useClient();
  const create = useChange((fields: WebhookFields) => client.webhooks.create(fields), {
    done: 'The webhook is added.',
    showsErrors: true,
  });
  return (
    <WebhookForm
      webhook={null}
      action="Add"
      isBusy={create.isPending}
      error={create.error}
      onSubmit={(fields) => create.mutate(fields, { onSuccess: onCreated })}
      onCancel={onCancel}
    />
  );
}
