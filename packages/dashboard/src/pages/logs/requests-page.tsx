import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { useFilters } from '../../data/filters.ts';
import { type AdminInput, type AdminResult, perform, useOperation } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { Empty, Loaded, Notice, Page } from '../../parts/page.tsx';
import { Status, toneOf } from '../../parts/status.tsx';
import { More, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useToasts } from '../../parts/toast.tsx';
import { ChoiceFilter, ConnectionField, idOf, SourceField } from './log-fields.tsx';

type Input = AdminInput<'requests/list'>;
type Rows = AdminResult<'requests/list'>;

const OUTCOMES = ['unparsed', 'ignored', 'duplicate', 'synced', 'waiting'] as const;
const AGES = ['1h', '24h', '7d', '30d'];
const PAGE_SIZE = 50;
const ROWS_MAX = 2_000;

/** Read through an operation, because the API does not tell what became of a request. */
export default function RequestsPage() {
  const accountId = useAccountId();
  const isAdmin = useIsAdmin();
  const { values, set, clear, isFiltered } = useFilters(['since', 'outcome', 'connection', 'source']);
  const outcome = OUTCOMES.find((each) => each === values.outcome);
  const input: Input = {
    accountId,
    limit: PAGE_SIZE,
    ...(values.since === '' ? {} : { since: values.since }),
    ...(outcome === undefined ? {} : { outcome }),
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
        <ChoiceFilter
          label="Received"
          all="At any time"
          value={values.since}
          choices={AGES.map((age) => ({ value: age, label: `Last ${age}` }))}
          onChange={(value) => set({ since: value })}
        />
        <ChoiceFilter
          label="Outcome"
          value={values.outcome}
          choices={OUTCOMES}
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

function withId<Name extends string>(name: Name, value: string): { [Key in Name]?: number } {
  const id = idOf(value);
  return id === undefined ? {} : ({ [name]: id } as { [Key in Name]?: number });
}

function Requests({ input }: { input: Input }) {
  const first = useOperation('requests/list', input);
  const toasts = useToasts();
  /** The rows as they were when older ones were asked for: new ones do not move them. */
  const [kept, setKept] = useState<Rows | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isMounted = useIsMounted();
  const shown = kept ?? first.data;
  const showMore = async () => {
    if (shown === undefined || shown.next === null) return;
    setBusy(true);
    try {
      const more = await perform('requests/list', { ...input, before: shown.next });
      if (isMounted()) setKept({ requests: [...shown.requests, ...more.requests], next: more.next });
    } catch (error) {
      toasts.warn(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  const hasNewer = kept !== null && first.data?.requests[0]?.id !== kept.requests[0]?.id;
  return (
    <Loaded query={{ ...first, data: shown, refetch: first.refetch }}>
      {({ requests, next }) => (
        <>
          {hasNewer && (
            <Notice
              action={
                <Button isSmall onClick={() => setKept(null)}>
                  Show them
                </Button>
              }
            >
              There are newer requests.
            </Notice>
          )}
          <Table
            label="Requests"
            rows={requests}
            keyOf={(row) => row.id}
            empty={
              <Empty>
                There are no such requests. They appear here as soon as a sequencer posts to the URL of a source.
              </Empty>
            }
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
          <More
            count={requests.length}
            hasMore={next !== null && requests.length < ROWS_MAX}
            isBusy={isBusy}
            onMore={() => void showMore()}
          />
        </>
      )}
    </Loaded>
  );
}

function useIsMounted(): () => boolean {
  const [mark] = useState({ isMounted: true });
  useEffect(() => {
    mark.isMounted = true;
    return () => {
      mark.isMounted = false;
    };
  }, [mark]);
  return () => mark.isMounted;
}
