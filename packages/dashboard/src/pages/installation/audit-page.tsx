import { useOperation } from '../../data/operations.ts';
import { useFilters } from '../../data/filters.ts';
import { CommandHint } from '../../forms/command-hint.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

const SPANS = { '24h': 'the last day', '7d': 'the last week', '30d': 'the last month', '365d': 'the last year' };
const ENTRIES_MAX = 1_000;

export default function AuditPage() {
  const { values, set, clear, isFiltered } = useFilters(['since', 'who', 'operation']);
  const since = values.since === '' ? '30d' : values.since;
  const entries = useOperation('audit/list', { since, limit: ENTRIES_MAX });
  const matches = (text: string, part: string) => text.toLowerCase().includes(part.trim().toLowerCase());
  return (
    <Page title="Audit log" lead="Every change by a user or a command, without secrets.">
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <SelectField label="Time" value={since} onChange={(event) => set({ since: event.target.value })}>
          {Object.entries(SPANS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <TextField label="Who" value={values.who} onChange={(event) => set({ who: event.target.value })} />
        <TextField
          label="Operation"
          placeholder="keys/create"
          value={values.operation}
          onChange={(event) => set({ operation: event.target.value })}
        />
      </FilterBar>
      <Loaded query={entries}>
        {({ entries: all }) => {
          const rows = all.filter((row) => matches(row.actor, values.who) && matches(row.operation, values.operation));
          return (
            <>
              <Table
                label="Audit log"
                rows={rows}
                keyOf={(row) => row.id}
                empty={<Empty>No change was recorded in this time.</Empty>}
                columns={[
                  { header: 'When', cell: (row) => <Time at={row.at} /> },
                  { header: 'Who', cell: (row) => row.actor },
                  { header: 'Operation', cell: (row) => row.operation },
                  {
                    header: 'Outcome',
                    cell: (row) => (
                      <Status tone={row.outcome === 'done' ? 'good' : 'warn'}>{row.outcome ?? 'interrupted'}</Status>
                    ),
                  },
                  {
                    header: 'With',
                    align: 'wide',
                    cell: (row) => <code>{row.input === null ? '' : JSON.stringify(row.input)}</code>,
                  },
                ]}
              />
              {all.length === ENTRIES_MAX && <p>Only the newest {ENTRIES_MAX.toLocaleString('en')} are shown.</p>}
            </>
          );
        }}
      </Loaded>
      <CommandHint operation="audit/list" input={{ since }} />
    </Page>
  );
}
