import { Link } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { useCatalogEntry } from '../../data/catalog.ts';
import { useFilters } from '../../data/filters.ts';
import { type AdminInput, type AdminResult, perform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { Page } from '../../parts/page.tsx';
import { Status, toneOf } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { ChoiceFilter, ConnectionField, idOf, RANGE_FILTERS, RangeFields, SourceField } from './log-fields.tsx';
import type { RangeFilter } from './log-range.ts';
import { LogTable } from './log-table.tsx';
import { LOG_PAGE_SIZE, useLog } from './use-log.ts';

type Input = AdminInput<'requests/list'>;
type Row = AdminResult<'requests/list'>['requests'][number];

/** Read through an operation, because the API does not tell what became of a request. */
export default function RequestsPage() {
  const accountId = useAccountId();
  const isAdmin = useIsAdmin();
  const { values, set, clear, isFiltered } = useFilters([...RANGE_FILTERS, 'outcome', 'connection', 'source']);
  const outcomes = useCatalogEntry('requests/list')?.fields.find(({ name }) => name === 'outcome')?.choices ?? [];
  const outcome = values.outcome as NonNullable<Input['outcome']> | '';
  const input: Input = {
    accountId,
    limit: LOG_PAGE_SIZE,
    ...toOperationRange(values),
    ...(outcome === '' ? {} : { outcome }),
    ...withId('connectionId', values.connection),
    ...withId('sourceId', values.source),
  };
  return (
    <Page
      title="Requests"
      lead="What sequencers posted, and what became of it."
      actions={isAdmin && <ButtonLink href="/requests/read-again">Read again …</ButtonLink>}
    >
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <RangeFields any="At any time" values={values} onChange={set} />
        <ChoiceFilter
          label="Outcome"
          value={values.outcome}
          choices={outcomes}
          onChange={(value) => set({ outcome: value })}
        />
        <ConnectionField value={values.connection} onChange={(value) => set({ connection: value })} />
        <SourceField value={values.source} onChange={(value) => set({ source: value })} />
      </FilterBar>
      <Requests key={JSON.stringify(input)} input={input} />
      <CommandHint operation="requests/list" input={input} />
    </Page>
  );
}

/** An operation counts ages itself, so that the address stays the same page tomorrow. */
function toOperationRange({ range, from, to }: RangeFilter): Pick<Input, 'since' | 'until'> {
  const since = from === '' ? range : from;
  return { ...(since === '' ? {} : { since }), ...(from === '' || to === '' ? {} : { until: to }) };
}

function withId<Name extends string>(name: Name, value: string): { [Key in Name]?: number } {
  const id = idOf(value);
  return id === undefined ? {} : ({ [name]: id } as { [Key in Name]?: number });
}

function Requests({ input }: { input: Input }) {
  const log = useLog<Row, number>(['requests', input], async (_client, before) => {
    const { requests, next } = await perform('requests/list', before === null ? input : { ...input, before });
    return { rows: requests, next };
  });
  return (
    <LogTable
      label="Requests"
      log={log}
      empty="There are no such requests. They appear here as soon as a sequencer posts to the URL of a source."
      columns={[
        { header: 'Request', cell: (row) => <Link href={`/requests/${row.id}`}>{row.id}</Link> },
        { header: 'Received', cell: (row) => <Time at={row.createdAt} /> },
        { header: 'Outcome', cell: (row) => <Status tone={toneOf(row.outcome)}>{row.outcome}</Status> },
        { header: 'Why', align: 'wide', cell: (row) => row.reason },
        { header: 'Platform', cell: (row) => row.platform ?? '–' },
        { header: 'Source', align: 'number', cell: (row) => row.sourceId ?? '–' },
        { header: 'Bytes', align: 'number', cell: (row) => row.bodyBytes?.toLocaleString('en') ?? '–' },
      ]}
    />
  );
}
