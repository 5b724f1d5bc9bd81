import type { WebhookDelivery } from '@svc/contract/types';
import { WEBHOOK_DELIVERY_STATUSES, type WebhookDeliveryStatus } from '@svc/contract/vocabulary';
import { useState } from 'react';
import { useApi, useClient } from '../../data/account.tsx';
import { useFilters } from '../../data/filters.ts';
import { useChange } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { TextHint } from '../../forms/command-hint.tsx';
import { Button } from '../../parts/button.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { ChoiceFilter } from './log-fields.tsx';
import { LogTable } from './log-table.tsx';
import { RepeatButton, RepeatChosen } from './repeat-dialog.tsx';
import { LOG_PAGE_SIZE, readPage, useLog } from './use-log.ts';
import { DeliveryStatus } from '../webhooks/delivery-status.tsx';

export default function WebhookDeliveriesPage() {
  const webhooks = useApi(['webhooks'], (of) => of.webhooks.list());
  const { values, set } = useFilters(['webhook', 'status']);
  return (
    <Page title="Webhook deliveries" lead="Events of the service on their way to your webhooks.">
      <Loaded query={webhooks}>
        {({ webhooks: all }) => {
          const webhook = values.webhook || (all[0]?.id ?? '');
          if (webhook === '') return <Empty>There are no webhooks yet.</Empty>;
          return (
            <>
              <FilterBar onClear={values.status === '' ? undefined : () => set({ status: '' })}>
                <ChoiceFilter
                  label="Webhook"
                  all="Choose …"
                  value={webhook}
                  choices={all.map(({ id, url }) => ({ value: id, label: url }))}
                  onChange={(value) => set({ webhook: value })}
                />
                <ChoiceFilter
                  label="Status"
                  value={values.status}
                  choices={WEBHOOK_DELIVERY_STATUSES}
                  onChange={(value) => set({ status: value })}
                />
              </FilterBar>
              <Deliveries key={webhook} webhook={webhook} status={values.status} />
              <TextHint command={`svc webhooks deliveries ${webhook}`} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** Statuses of deliveries that are not tried again by themselves. */
const GIVEN_UP = ['FAILED', 'DEAD'] as const satisfies readonly WebhookDeliveryStatus[];

function Deliveries({ webhook, status }: { webhook: string; status: string }) {
  const client = useClient();
  const isAdmin = useIsAdmin();
  const filter = { status: WEBHOOK_DELIVERY_STATUSES.find((each) => each === status) };
  const log = useLog<WebhookDelivery>(['webhook-deliveries', webhook, status], (of, resume) =>
    readPage(of.webhooks.listDeliveries(webhook, { ...filter, pageSize: LOG_PAGE_SIZE, resume })),
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const repeat = (id: string) => client.webhooks.replayDelivery(webhook, id);
  const replay = useChange(repeat, { done: 'The event is sent again.' });
  return (
    <>
      {isAdmin && (
        <div>
          <RepeatChosen
            action="Replay"
            what="deliveries"
            chosen={chosen}
            repeat={repeat}
            onEnd={() => setChosen(new Set())}
          />{' '}
          <RepeatButton
            label="Replay failed …"
            title="Replay the failed deliveries of this webhook"
            action="Replay"
            find={async (signal) => {
              const ids: string[] = [];
              for (const failed of GIVEN_UP) {
                for await (const { id } of client.webhooks.listDeliveries(webhook, { status: failed }, { signal })) {
                  ids.push(id);
                }
              }
              return { ids, note: 'Each of these events is sent again, also when a later delivery succeeded.' };
            }}
            repeat={repeat}
          />
        </div>
      )}
      <LogTable
        label="Webhook deliveries"
        log={log}
        empty="Nothing was sent to this webhook with this status."
        selection={isAdmin ? { ids: chosen, onChange: setChosen, canChoose: () => true } : undefined}
        columns={[
          {
            header: 'Status',
            cell: (row) => <DeliveryStatus delivery={row} />,
          },
          { header: 'Created', cell: (row) => <Time at={row.createdAt} /> },
          { header: 'Attempts', align: 'number', cell: (row) => row.attemptCount },
          { header: 'Last attempt', cell: (row) => <Time at={row.lastAttemptAt} /> },
          { header: 'HTTP', align: 'number', cell: (row) => row.lastHttpStatus ?? '–' },
          { header: 'Error', align: 'wide', cell: (row) => row.lastError },
          { header: 'Id', cell: (row) => row.id },
          {
            header: <span className="visually-hidden">Actions</span>,
            cell: (row) =>
              isAdmin && (
                <Button
                  isSmall
                  isBusy={replay.isPending && replay.variables === row.id}
                  onClick={() => replay.mutate(row.id)}
                >
                  Replay
                </Button>
              ),
          },
        ]}
      />
    </>
  );
}
