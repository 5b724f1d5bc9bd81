import { Link, useLocation } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { useConnectionChoices } from '../../data/choices.ts';
import { useFilters } from '../../data/filters.ts';
import { type AdminInput, type AdminResult, perform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { ConnectionField, idOf } from '../logs/log-fields.tsx';
import { LogTable } from '../logs/log-table.tsx';
import { useLog } from '../logs/use-log.ts';
import { NewSource } from './new-source.tsx';
import { describeReading, SecretState } from './source-states.tsx';

type Input = AdminInput<'sources/list'>;
type Row = AdminResult<'sources/list'>['sources'][number];

const PAGE_SIZE = 100;

export default function SourcesPage() {
  const accountId = useAccountId();
  const { values, set, clear, isFiltered } = useFilters(['search', 'connection']);
  const connectionId = idOf(values.connection);
  const search = values.search.trim();
  const input: Input = {
    accountId,
    limit: PAGE_SIZE,
    ...(connectionId === undefined ? {} : { connectionId }),
    ...(search === '' ? {} : { search }),
  };
  return (
    <Page title="Sources" lead="The addresses that sequencers post their events to." actions={<AddSource />}>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <TextField
          label="Search"
          type="search"
          placeholder="Sequencer, id or URL"
          value={values.search}
          onChange={(event) => set({ search: event.target.value })}
        />
        <ConnectionField value={values.connection} onChange={(value) => set({ connection: value })} />
      </FilterBar>
      <Sources key={JSON.stringify(input)} input={input} isFiltered={isFiltered} />
      <CommandHint operation="sources/list" input={input} />
    </Page>
  );
}

function AddSource() {
  const isAdmin = useIsAdmin();
  const [, navigate] = useLocation();
  const connections = useConnectionChoices();
  if (!isAdmin || connections.length === 0) return null;
  return (
    <DialogButton label="Add a source" button={{ kind: 'primary' }} title="Add a source">
      {(close) => (
        <NewSource
          connections={connections}
          onAdded={(id) => {
            close();
            navigate(`/sources/${id}`);
          }}
          onCancel={close}
        />
      )}
    </DialogButton>
  );
}

function Sources({ input, isFiltered }: { input: Input; isFiltered: boolean }) {
  const log = useLog<Row, number>(['sources', input], async (_client, after) => {
    const { sources, next } = await perform('sources/list', after === null ? input : { ...input, after });
    return { rows: sources, next };
  });
  return (
    <LogTable
      label="Sources"
      log={log}
      empty={
        isFiltered
          ? 'There are no such sources.'
          : 'There are no sources yet. Add one for each sequencer; a connection to a CRM comes first.'
      }
      columns={[
        { header: 'Source', align: 'number', cell: (row) => <Link href={`/sources/${row.id}`}>{row.id}</Link> },
        { header: 'Sequencer', cell: (row) => <Link href={`/sources/${row.id}`}>{row.platform}</Link> },
        {
          header: 'Connection',
          align: 'number',
          cell: (row) => <Link href={`/connections/${row.connectionId}`}>{row.connectionId}</Link>,
        },
        { header: 'Events', align: 'wide', cell: describeReading },
        { header: 'Secret', cell: (row) => <SecretState state={row.authenticity.secret} /> },
        { header: 'Refused in 7 days', align: 'number', cell: countRefused },
        { header: 'Destinations', align: 'number', cell: (row) => row.destinations.length },
        { header: 'Added', cell: (row) => <Time at={row.createdAt} /> },
      ]}
    />
  );
}

function countRefused({ authenticity }: Row): string {
  return authenticity.refused.reduce((sum, { missing, wrong }) => sum + missing + wrong, 0).toLocaleString('en');
}
