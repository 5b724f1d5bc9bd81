/** What became of the posts to one destination. */
import type { Delivery } from '@svc/contract/types';
import { Link } from 'wouter';
import { useApi, useClient } from '../../data/account.tsx';
import { useChange } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { TextHint } from '../../forms/command-hint.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty, Loaded, Section } from '../../parts/page.tsx';
import { Status, toneOf } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

const COUNT = 20;
const DAY_MS = 86_400_000;
/** The longest range that the API counts or lists at once. */
const MONTH_MS = 31 * DAY_MS;

export function LastDay({ destinationId }: { destinationId: number }) {
  const metrics = useApi(['delivery-metrics', destinationId, 'last-day'], (client) => {
    const now = Date.now();
    return client.destinations.deliveryMetrics(destinationId, { from: new Date(now - DAY_MS), to: new Date(now) });
  });
  return (
    <Loaded query={metrics}>
      {({ success, error }) =>
        success + error === 0
          ? 'no deliveries'
          : `${success.toLocaleString('en')} delivered, ${error.toLocaleString('en')} failed`
      }
    </Loaded>
  );
}

export function LastDeliveries({ destinationId }: { destinationId: number }) {
  const isAdmin = useIsAdmin();
  const deliveries = useApi(['deliveries', destinationId, 'last'], (client) =>
    client.destinations
      .listDeliveries(destinationId, { from: new Date(Date.now() - MONTH_MS) })
      .toArray({ limit: COUNT }),
  );
  const all = <Link href={`/deliveries?destination=${destinationId}`}>All deliveries of this destination</Link>;
  return (
    <Section title="Last deliveries" actions={all}>
      <Loaded query={deliveries}>
        {(rows) => (
          <Table
            label="Last deliveries"
            rows={rows}
            keyOf={(row) => row.id}
            empty={<Empty>Nothing was forwarded in the last 31 days.</Empty>}
            columns={[
              { header: 'Status', cell: (row) => <Status tone={toneOf(row.status)}>{row.status}</Status> },
              { header: 'Sent', cell: (row) => <Time at={row.createdAt} /> },
              { header: 'Event', cell: (row) => row.eventType ?? '–' },
              { header: 'Lead', align: 'wide', cell: (row) => row.toEmail ?? '–' },
              { header: 'HTTP', align: 'number', cell: (row) => row.httpStatus ?? '–' },
              { header: 'Error', align: 'wide', cell: (row) => row.error ?? '' },
              {
                header: <span className="visually-hidden">Actions</span>,
                cell: (row) => (isAdmin && row.payloadId !== null ? <Replay delivery={row} /> : null),
              },
            ]}
          />
        )}
      </Loaded>
      <TextHint command={`svc deliveries list --destination ${destinationId}`} />
    </Section>
  );
}

function Replay({ delivery: { id, destinationId } }: { delivery: Delivery }) {
  const client = useClient();
  const replay = useChange(() => client.destinations.replayDelivery(destinationId, id), {
    done: 'The delivery is queued again.',
  });
  return (
    <Button isSmall isBusy={replay.isPending} onClick={() => replay.mutate(undefined)}>
      Replay
    </Button>
  );
}
