import type { Sync } from '@svc/contract/types';
import { RETRYABLE_CRMS, SYNC_STATUSES, type SyncStatus } from '@svc/contract/vocabulary';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAccountId, useClient } from '../../data/account.tsx';
import { useFilters } from '../../data/filters.ts';
import { type AdminResult, perform, useChange, useOperation } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { TextHint } from '../../forms/command-hint.tsx';
import { Button } from '../../parts/button.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { Page } from '../../parts/page.tsx';
import { Status, Tag, toneOf } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { CrmRecordLink } from './crm-record-link.tsx';
import { errorText } from './error-text.ts';
import { ChoiceFilter, ConnectionField, idOf, RANGE_FILTERS, RangeFields, SourceField } from './log-fields.tsx';
import { toApiRange } from './log-range.ts';
import { LogTable } from './log-table.tsx';
import { RepeatButton, RepeatChosen } from './repeat-dialog.tsx';
import { LOG_PAGE_SIZE, readPage, useLog } from './use-log.ts';

type CrmRecords = AdminResult<'persons/records'>['records'];
interface SyncRow extends Sync {
  /** What the CRM has of the person. */
  readonly records: CrmRecords;
}

async function withRecords(accountId: number, rows: readonly Sync[]): Promise<SyncRow[]> {
  const people = [...new Set(rows.map(({ toEmail }) => toEmail))];
  const { records } = await perform('persons/records', { accountId, people });
  return rows.map((row) => ({
    ...row,
    records: records.filter(
      // The list has room for links only.
      ({ connectionId, person, url }) =>
        url !== null && connectionId === row.connectionId && person === row.toEmail.toLowerCase(),
    ),
  }));
}

export default function SyncsPage() {
  const client = useClient();
  const accountId = useAccountId();
  const isAdmin = useIsAdmin();
  const { values, set, clear, isFiltered } = useFilters([...RANGE_FILTERS, 'status', 'connection', 'source']);
  const { status, connection, source } = values;
  const ofRows = { connectionId: idOf(connection), sourceId: idOf(source) };
  const log = useLog<SyncRow>(['syncs', values], async (of, resume) => {
    const { rows, next } = await readPage(
      of.syncs.list({
        ...toApiRange(values, new Date()),
        ...ofRows,
        status: SYNC_STATUSES.find((each) => each === status),
        pageSize: LOG_PAGE_SIZE,
        resume,
      }),
    );
    return { rows: await withRecords(accountId, rows), next };
  });
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const connections = useOperation('connections/list', { accountId });
  const crmOf = new Map(connections.data?.connections.map(({ id, crm }) => [id, crm]));
  const canRetry = (row: SyncRow) =>
    row.status === 'error' && RETRYABLE_CRMS.some((each) => each === crmOf.get(row.connectionId));
  const retry = useChange((id: number) => client.syncs.retry(id), { done: 'The retry is queued.' });
  const actions = isAdmin && (
    <>
      <RepeatChosen
        action="Retry"
        what="syncs"
        chosen={chosen}
        repeat={(id) => client.syncs.retry(id)}
        onEnd={() => setChosen(new Set())}
      />
      <RepeatButton
        label="Retry all failed …"
        title="Retry the failed syncs of this time and these filters"
        action="Retry"
        find={async (signal) => {
          const range = toApiRange(values, new Date());
          const { queued, skipped } = await client.syncs.retryAll({ ...range, ...ofRows, dryRun: true }, { signal });
          return {
            ids: queued,
            note:
              skipped.length === 0
                ? ''
                : `${skipped.length.toLocaleString('en')} are left out: written since, followed by a newer attempt, or of a CRM without retries.`,
          };
        }}
        repeat={(id) => client.syncs.retry(id)}
        hint={<TextHint command="svc syncs retry --all --since 24h" />}
      />
    </>
  );
  return (
    <Page title="Syncs" lead="Each attempt to write a received event to a CRM." actions={actions}>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <RangeFields values={values} onChange={set} />
        <ChoiceFilter
          label="Status"
          value={status}
          choices={SYNC_STATUSES}
          onChange={(value) => set({ status: value as SyncStatus })}
        />
        <ConnectionField value={connection} onChange={(value) => set({ connection: value })} />
        <SourceField value={source} onChange={(value) => set({ source: value })} />
      </FilterBar>
      <LogTable
        label="Syncs"
        log={log}
        empty="No event was written in this time with these filters. A longer time may show some."
        selection={isAdmin ? { ids: chosen, onChange: setChosen, canChoose: canRetry } : undefined}
        columns={[
          { header: 'Status', cell: (row) => <Status tone={toneOf(row.status)}>{row.status}</Status> },
          { header: 'When', cell: (row) => <Time at={row.createdAt} /> },
          { header: 'Event', cell: (row) => <Tag>{row.eventType}</Tag> },
          {
            header: 'Person',
            align: 'wide',
            cell: ({ payloadId, toEmail, records }) => (
              <>
                {payloadId === null ? toEmail : <Link href={`/requests/${payloadId}`}>{toEmail}</Link>}
                {records.map((record) => (
                  <div key={record.recordId}>
                    <CrmRecordLink record={record} />
                  </div>
                ))}
              </>
            ),
          },
          { header: 'Error', align: 'wide', cell: (row) => errorText(row.error) },
          {
            header: 'Source',
            align: 'number',
            cell: ({ sourceId }) => (sourceId === null ? '–' : <Link href={`/sources/${sourceId}`}>{sourceId}</Link>),
          },
          { header: 'Id', align: 'number', cell: (row) => row.id },
          {
            header: <span className="visually-hidden">Actions</span>,
            cell: (row) =>
              isAdmin && canRetry(row) ? (
                <Button
                  isSmall
                  isBusy={retry.isPending && retry.variables === row.id}
                  onClick={() => retry.mutate(row.id)}
                >
                  Retry
                </Button>
              ) : null,
          },
        ]}
      />
      <TextHint command="svc syncs list" />
    </Page>
  );
}
