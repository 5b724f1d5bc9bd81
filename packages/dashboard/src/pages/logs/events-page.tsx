import type { PlatformEvent } from '@svc/contract/types';
import { EVENT_TYPES } from '@svc/contract/vocabulary';
import { useFilters } from '../../data/filters.ts';
import { TextHint } from '../../forms/command-hint.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { Page } from '../../parts/page.tsx';
import { Status, Tag } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { ChoiceFilter } from './log-fields.tsx';
import { LogTable } from './log-table.tsx';
import { LOG_PAGE_SIZE, readPage, useLog } from './use-log.ts';

export default function EventsPage() {
  const { values, set, clear, isFiltered } = useFilters(['type', 'delivered']);
  const type = EVENT_TYPES.find((each) => each === values.type);
  const log = useLog<PlatformEvent>(['events', values], (of, resume) =>
    readPage(
      of.events.list({
        ...(type === undefined ? {} : { types: [type] }),
        ...(values.delivered === '' ? {} : { delivered: values.delivered === 'yes' }),
        pageSize: LOG_PAGE_SIZE,
        resume,
      }),
    ),
  );
  return (
    <Page title="Events" lead="What the service itself reports: the start and the end of each incident.">
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <ChoiceFilter
          label="Type"
          value={values.type}
          choices={EVENT_TYPES}
          onChange={(value) => set({ type: value })}
        />
        <ChoiceFilter
          label="Delivered"
          value={values.delivered}
          choices={[
            { value: 'yes', label: 'To a webhook' },
            { value: 'no', label: 'To none' },
          ]}
          onChange={(value) => set({ delivered: value })}
        />
      </FilterBar>
      <LogTable
        label="Events"
        log={log}
        empty="The service reported nothing with these filters."
        columns={[
          { header: 'Type', cell: (row) => <Tag>{row.type}</Tag> },
          { header: 'When', cell: (row) => <Time at={row.createdAt} /> },
          { header: 'What', align: 'wide', cell: (row) => row.summary },
          { header: 'Connection', align: 'number', cell: (row) => row.connectionId ?? '–' },
          { header: 'Source', align: 'number', cell: (row) => row.sourceId ?? '–' },
          {
            header: 'Webhooks',
            cell: (row) => (
              <Status tone={row.delivered ? 'good' : 'neutral'}>{row.delivered ? 'delivered' : 'not delivered'}</Status>
            ),
          },
        ]}
      />
      <TextHint command="svc events list" />
    </Page>
  );
}
