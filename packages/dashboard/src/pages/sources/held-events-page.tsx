/** Events that the write policy of a source holds until their lead answers or gets a category. */
import { useFilters } from '../../data/filters.ts';
import { type AdminInput, useOperation, usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { Empty, Loaded, Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { type ShownSource, SourceFrame } from './source-frame.tsx';

type Selection = Pick<AdminInput<'sources/release'>, 'lead' | 'campaign' | 'isAll'>;

export default function HeldEventsPage() {
  return <SourceFrame tab="held">{(source) => <HeldEvents source={source} />}</SourceFrame>;
}

const LEADS_MAX = 200;

function HeldEvents({ source: { id } }: { source: ShownSource }) {
  const { values, set, clear, isFiltered } = useFilters(['campaign']);
  const campaign = values.campaign.trim();
  const input = { id, limit: LEADS_MAX, ...(campaign === '' ? {} : { campaign }) };
  const held = useOperation('sources/held', input);
  return (
    <>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <TextField
          label="Campaign"
          hint="Its id, or its name where events have no id."
          value={values.campaign}
          onChange={(event) => set({ campaign: event.target.value })}
        />
      </FilterBar>
      <Loaded query={held}>
        {({ events, leadCount, leads }) => (
          <Section
            title={`${events.toLocaleString('en')} events of ${leadCount.toLocaleString('en')} leads wait`}
            actions={
              leads.length > 0 && (
                <Actions
                  id={id}
                  selection={campaign === '' ? { isAll: true } : { campaign }}
                  events={events}
                  of={campaign === '' ? 'all leads' : `campaign ${campaign}`}
                />
              )
            }
          >
            <Table
              label="Leads whose events wait"
              rows={leads}
              keyOf={(row) => `${row.lead} ${row.campaign ?? ''}`}
              empty={<Empty>No events wait. A write policy can hold events until their lead answers.</Empty>}
              columns={[
                { header: 'Lead', align: 'wide', cell: (row) => row.lead },
                { header: 'Campaign', align: 'wide', cell: (row) => row.campaignName ?? row.campaign ?? '–' },
                { header: 'Events', align: 'number', cell: (row) => row.events.toLocaleString('en') },
                { header: 'Since', cell: (row) => <Time at={row.since} /> },
                { header: 'Dropped', cell: (row) => <Time at={row.dropsAt} /> },
                {
                  header: <span className="visually-hidden">Actions</span>,
                  cell: (row) => <Actions id={id} selection={{ lead: row.lead }} events={row.events} of={row.lead} />,
                },
              ]}
            />
            {leads.length < leadCount && <p>The {LEADS_MAX} leads that have waited longest are shown.</p>}
          </Section>
        )}
      </Loaded>
      <CommandHint operation="sources/held" input={input} />
    </>
  );
}

function Actions({ id, selection, events, of }: { id: number; selection: Selection; events: number; of: string }) {
  const isAdmin = useIsAdmin();
  const release = usePerform('sources/release', { done: ({ events: count }) => `${count} events are written now.` });
  const drop = usePerform('sources/drop-held', { done: ({ events: count }) => `${count} events are dropped.` });
  if (!isAdmin) return null;
  return (
    <span>
      <Button isSmall isBusy={release.isPending} onClick={() => release.mutate({ id, ...selection })}>
        Write
      </Button>{' '}
      <ConfirmButton
        label="Drop …"
        button={{ isSmall: true }}
        title={`Drop the events of ${of}?`}
        description={`${events.toLocaleString('en')} events will never be written to the CRM. Later events wait as before.`}
        action="Drop"
        onConfirm={() => drop.mutateAsync({ id, ...selection, isConfirmed: true })}
      >
        <CommandHint operation="sources/drop-held" input={{ id, ...selection, isConfirmed: true }} />
      </ConfirmButton>
    </span>
  );
}
