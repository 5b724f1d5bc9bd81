/** Reads stored requests again, after an adapter or a mapping improved, and shows the runs that do. */
import { useAccountId } from '../../data/account.tsx';
import { useSourceChoices } from '../../data/choices.ts';
import { useFilters } from '../../data/filters.ts';
import { type AdminResult, useOperation, usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty, Loaded, Page, Section } from '../../parts/page.tsx';
import { Status, toneOf } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { idOf, SourceField } from './log-fields.tsx';

const LEAD =
  'After an adapter or a mapping improved, stored requests can be read again. A dry run only counts what would be new.';

export default function ReadAgainPage() {
  const isAdmin = useIsAdmin();
  const sources = useSourceChoices();
  const { values, set } = useFilters(['source']);
  const sourceId = idOf(values.source) ?? sources?.[0]?.value;
  return (
    <Page title="Read requests again" parent={{ label: 'Requests', href: '/requests' }} lead={LEAD}>
      {sources?.length === 0 ? (
        <Empty>The account has no sources yet.</Empty>
      ) : (
        <SourceField value={String(sourceId ?? '')} onChange={(value) => set({ source: value })} />
      )}
      {sourceId !== undefined && (
        <>
          {isAdmin && (
            <Section title="A new run">
              <OperationForm
                key={sourceId}
                operation="requests/reprocess"
                fixed={{ sourceId }}
                initial={{ since: '30d', dryRun: true }}
                fields={['since', 'until', 'outcomes', 'forward', 'dryRun']}
                action="Read again"
              />
            </Section>
          )}
          <Runs sourceId={sourceId} />
        </>
      )}
    </Page>
  );
}

type Run = AdminResult<'requests/runs'>['runs'][number];

function Runs({ sourceId }: { sourceId: number }) {
  const accountId = useAccountId();
  const isAdmin = useIsAdmin();
  const runs = useOperation('requests/runs', { sourceId }, { refetchInterval: 5_000 });
  const stop = usePerform('requests/stop', { done: 'The run is stopped; what it has read stays.' });
  return (
    <Section title="Runs">
      <Loaded query={runs}>
        {({ runs: rows }) => (
          <Table
            key={accountId}
            label="Runs"
            rows={rows}
            keyOf={(row) => row.id}
            empty={<Empty>No requests of this source were read again yet.</Empty>}
            columns={[
              { header: 'Run', align: 'number', cell: (row) => row.id },
              {
                header: 'State',
                cell: (row) => (
                  <Status tone={toneOf(row.state)}>
                    {row.state}
                    {row.dryRun && ' (dry run)'}
                  </Status>
                ),
              },
              { header: 'Begun', cell: (row) => <Time at={row.createdAt} /> },
              {
                header: 'Requests',
                align: 'number',
                cell: (row) => `${row.lookedAt.toLocaleString('en')} of ${row.total.toLocaleString('en')}`,
              },
              { header: 'Found', align: 'wide', cell: describeRun },
              {
                header: <span className="visually-hidden">Actions</span>,
                cell: (row) =>
                  isAdmin && row.state === 'running' ? (
                    <Button isSmall isBusy={stop.isPending} onClick={() => stop.mutate({ id: row.id })}>
                      Stop
                    </Button>
                  ) : null,
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function describeRun({ counts, dryRun, stopReason }: Run): string {
  const parts = [
    `${counts.newEvents} ${dryRun ? 'events would be new' : 'new events'}`,
    `${counts.known} known`,
    `${counts.unparsed} not understood`,
    `${counts.ignored} ignored`,
  ];
  return stopReason === null ? parts.join(', ') : `${parts.join(', ')}; ${stopReason}`;
}
