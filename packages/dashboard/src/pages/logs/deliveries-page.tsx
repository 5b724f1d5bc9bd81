import type { Delivery } from '@svc/contract/types';
import { DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import { useState } from 'react';
import { Link } from 'wouter';
import { useApi, useClient } from '../../data/account.tsx';
import { useFilters } from '../../data/filters.ts';
import { useChange } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { TextHint } from '../../forms/command-hint.tsx';
import { Button } from '../../parts/button.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { Page } from '../../parts/page.tsx';
import { Status, toneOf } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { ChoiceFilter, idOf, RANGE_FILTERS, RangeFields } from './log-fields.tsx';
import { toApiRange } from './log-range.ts';
import { LogTable } from './log-table.tsx';
import { RepeatButton, RepeatChosen } from './repeat-dialog.tsx';
import { LOG_PAGE_SIZE, readPage, useLog } from './use-log.ts';

export default function DeliveriesPage() {
  const client = useClient();
  const isAdmin = useIsAdmin();
  const { values, set, clear, isFiltered } = useFilters([...RANGE_FILTERS, 'status', 'destination']);
  const { status, destination } = values;
  const filters = {
    destinationId: idOf(destination),
    status: DELIVERY_STATUSES.find((each) => each === status),
  };
  const log = useLog<Delivery>(['deliveries', values], (of, resume) =>
    readPage(of.deliveries.list({ ...toApiRange(values, new Date()), ...filters, pageSize: LOG_PAGE_SIZE, resume })),
  );
  const destinations = useApi(['destinations'], (of) => of.destinations.list());
  // A replay needs the destination of the delivery, which a row that is not shown any more does not tell.
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [destinationOf] = useState(() => new Map<number, number>());
  for (const row of log.rows) destinationOf.set(row.id, row.destinationId);
  const replayById = (id: number) => client.destinations.replayDelivery(destinationOf.get(id) ?? 0, id);
  const replay = useChange(replayById, { done: 'The delivery is queued again.' });
  const actions = isAdmin && (
    <>
      <RepeatChosen
        action="Replay"
        what="deliveries"
        chosen={chosen}
        repeat={replayById}
        onEnd={() => setChosen(new Set())}
      />
      <RepeatButton
        label="Replay failed …"
        title="Replay the failed deliveries of this time and destination"
        action="Replay"
        find={async (signal) => {
          const ids: number[] = [];
          const range = toApiRange(values, new Date());
          for await (const row of client.deliveries.list({ ...range, ...filters, status: 'error' }, { signal })) {
            if (row.payloadId === null) continue;
            destinationOf.set(row.id, row.destinationId);
            ids.push(row.id);
          }
          return { ids, note: 'Each failed delivery is posted again, also when a later one succeeded.' };
        }}
        repeat={replayById}
      />
    </>
  );
  return (
    <Page title="Deliveries" lead="Each post of a received event to a destination." actions={actions}>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <RangeFields values={values} onChange={set} />
        <ChoiceFilter
          label="Status"
          value={status}
          choices={DELIVERY_STATUSES}
          onChange={(value) => set({ status: value })}
        />
        <ChoiceFilter
          label="Destination"
          value={destination}
          choices={(destinations.data?.destinations ?? []).map(({ id, url }) => ({
            value: id,
            label: `${id}: ${url}`,
          }))}
          onChange={(value) => set({ destination: value })}
        />
      </FilterBar>
      <LogTable
        label="Deliveries"
        log={log}
        empty="Nothing was forwarded in this time with these filters. Events are forwarded to the destinations of their source."
        selection={
          isAdmin ? { ids: chosen, onChange: setChosen, canChoose: (row) => row.payloadId !== null } : undefined
        }
        columns={[
          { header: 'Status', cell: (row) => <Status tone={toneOf(row.status)}>{row.status}</Status> },
          { header: 'When', cell: (row) => <Time at={row.createdAt} /> },
          { header: 'HTTP', align: 'number', cell: (row) => row.httpStatus ?? '–' },
          { header: 'Destination', align: 'wide', cell: (row) => row.destinationUrl },
          { header: 'Event', cell: (row) => row.eventType ?? '–' },
          {
            header: 'Person',
            align: 'wide',
            cell: (row) =>
              row.payloadId === null ? (
                row.toEmail
              ) : (
                <Link href={`/requests/${row.payloadId}`}>{row.toEmail ?? `Request ${row.payloadId}`}</Link>
              ),
          },
          { header: 'Error', align: 'wide', cell: (row) => row.error },
          {
            header: <span className="visually-hidden">Actions</span>,
            cell: (row) =>
              isAdmin && row.payloadId !== null ? (
                <Button
                  isSmall
                  isBusy={replay.isPending && replay.variables === row.id}
                  onClick={() => replay.mutate(row.id)}
                >
                  Replay
                </Button>
              ) : null,
          },
        ]}
      />
      <TextHint command="svc deliveries list" />
    </Page>
  );
}
