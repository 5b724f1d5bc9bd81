import type { WebhookDelivery } from '@svc/contract/types';
import { Link } from 'wouter';
import { useApi, useClient } from '../../data/account.tsx';
import { useChange } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { TextHint } from '../../forms/command-hint.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty, Loaded, Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { DeliveryStatus } from './delivery-status.tsx';

const COUNT = 20;
export function LastDeliveries({ webhookId }: { webhookId: string }) {
  const isAdmin = useIsAdmin();
  const deliveries = useApi(['webhook-deliveries', webhookId, 'last'], (client) =>
    client.webhooks.listDeliveries(webhookId).toArray({ limit: COUNT }),
  );
  const all = (
    <Link href={`/webhook-deliveries?webhook=${encodeURIComponent(webhookId)}`}>All deliveries of this webhook</Link>
  );
  return (
    <Section title="Last deliveries" actions={all}>
      <Loaded query={deliveries}>
        {(rows) => (
          <Table
            label="Last deliveries"
            rows={rows}
            keyOf={(row) => row.id}
            empty={<Empty>Nothing was sent yet. A test event shows whether the receiver works.</Empty>}
            columns={[
              {
                header: 'Status',
                cell: (row) => <DeliveryStatus delivery={row} />,
              },
              { header: 'Queued', cell: (row) => <Time at={row.createdAt} /> },
              { header: 'Attempts', align: 'number', cell: (row) => row.attemptCount },
              { header: 'Last attempt', cell: (row) => <Time at={row.lastAttemptAt} none="not yet" /> },
              { header: 'HTTP', align: 'number', cell: (row) => row.lastHttpStatus ?? '–' },
              { header: 'Error', align: 'wide', cell: (row) => row.lastError ?? '' },
              {
                header: <span className="visually-hidden">Actions</span>,
                cell: (row) => (isAdmin ? <Replay delivery={row} /> : null),
              },
            ]}
          />
        )}
      </Loaded>
      <TextHint command={`svc webhooks deliveries ${webhookId}`} />
    </Section>
  );
}

function Replay({ delivery: { id, endpointId } }: { delivery: WebhookDelivery }) {
  const client = useClient();
  const replay = useChange(() => client.webhooks.replayDelivery(endpointId, id), { done: 'The event is sent again.' });
  return (
    <Button isSmall isBusy={replay.isPending} onClick={() => replay.mutate(undefined)}>
      Replay
    </Button>
  );
}
