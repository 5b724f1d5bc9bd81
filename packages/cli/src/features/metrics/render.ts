import type { AccountMetrics, DeliveryMetrics, RequestMetrics, SyncMetrics } from '@svc/sdk';
import type { MetricsOf, MetricsSubject } from './fetch-metrics.ts';
import type { LogRange } from '../../command/log-range.ts';
import type { TimeRange } from '../../command/time-range.ts';
import { type BarPart, type BarRow, type BarsOptions, renderBars } from '../../terminal/bars.ts';
import type { Tone } from '../../terminal/colors.ts';
import {
  ACCOUNT_METRICS_RESPONSE_FIELDS,
  DESTINATION_DELIVERY_METRICS_FIELDS,
  REQUEST_METRICS_FIELDS,
  SYNC_METRICS_FIELDS,
} from '@svc/contract/fields';
import { formatCount } from '../../terminal/progress.ts';
import type { RecordLine } from '../../format/record.ts';
import type { Column } from '../../terminal/table.ts';

/** The rendering of one subject. */
export interface MetricsView<Counts> {
  readonly fields: readonly string[];
  lines(counts: Counts): RecordLine[];
  /** The numbers before the bar of a day, by header. */
  numbers(counts: Counts): Readonly<Record<string, number>>;
  /** The headers of `numbers`. */
  readonly headers: readonly string[];
  readonly parts: readonly BarPart[];
  bar(counts: Counts): readonly number[];
}

const SUCCESS: BarPart = { name: 'success', tone: 'good' };
const WARNING: BarPart = { name: 'warning', tone: 'warn' };
const ERROR: BarPart = { name: 'error', tone: 'bad' };

const account: MetricsView<AccountMetrics> = {
  fields: ACCOUNT_METRICS_RESPONSE_FIELDS,
  lines: ({ requests: received, syncs: written, destinationDeliveries: posted }) => [
    countLine('Requests', received.count),
    countLine('Syncs', written.success + written.warning + written.error),
    ...indented('Syncs', syncs.lines(written).slice(0, -1)),
    countLine('Deliveries', posted.success + posted.error),
    ...indented('Deliveries', deliveries.lines(posted).slice(0, -1)),
  ],
  numbers: ({ requests: received, syncs: written, destinationDeliveries: posted }) => ({
    REQUESTS: received.count,
    SYNCS: written.success + written.warning + written.error,
    DELIVERIES: posted.success + posted.error,
  }),
  headers: ['REQUESTS', 'SYNCS', 'DELIVERIES'],
  parts: [{ ...SUCCESS, name: 'synced' }, WARNING, ERROR],
  bar: (counts) => syncs.bar(counts.syncs),
};

const syncs: MetricsView<SyncMetrics> = {
  fields: SYNC_METRICS_FIELDS,
  lines: ({ success, warning, error }) => [
    countLine('Success', success, 'good'),
    countLine('Warning', warning, 'warn'),
    countLine('Error', error, 'bad'),
    countLine('Total', success + warning + error),
  ],
  numbers: ({ success, warning, error }) => ({ SUCCESS: success, WARNING: warning, ERROR: error }),
  headers: ['SUCCESS', 'WARNING', 'ERROR'],
  parts: [SUCCESS, WARNING, ERROR],
  bar: ({ success, warning, error }) => [success, warning, error],
};

const requests: MetricsView<RequestMetrics> = {
  fields: REQUEST_METRICS_FIELDS,
  lines: ({ count }) => [countLine('Requests', count)],
  numbers: ({ count }) => ({ REQUESTS: count }),
  headers: ['REQUESTS'],
  parts: [SUCCESS],
  bar: ({ count }) => [count],
};

const deliveries: MetricsView<DeliveryMetrics> = {
  fields: DESTINATION_DELIVERY_METRICS_FIELDS,
  lines: ({ success, error, http2xx }) => [
    countLine('Success', success, 'good'),
    countLine('Error', error, 'bad'),
    countLine('HTTP 2xx', http2xx),
    countLine('Total', success + error),
  ],
  numbers: ({ success, error, http2xx }) => ({ SUCCESS: success, ERROR: error, 'HTTP 2XX': http2xx }),
  headers: ['SUCCESS', 'ERROR', 'HTTP 2XX'],
  parts: [SUCCESS, ERROR],
  bar: ({ success, error }) => [success, error],
};

export const METRICS_VIEWS: { readonly [Subject in MetricsSubject]: MetricsView<MetricsOf[Subject]> } = {
  account,
  syncs,
  requests,
  deliveries,
};

export function rangeLine({ from, to }: TimeRange, { label, toMs }: LogRange): RecordLine {
  return { label: 'Range', text: `${from} to ${to}${toMs === null ? ` (${label})` : ''}`, raw: `${from} to ${to}` };
}

/** Columns of the days for programs. */
export function dayColumns<Counts>(view: MetricsView<Counts>): Column<Counts & { readonly day: string }>[] {
  return [
    { header: 'DAY', cell: ({ day }) => ({ text: day }) },
    ...view.headers.map((header) => ({
      header,
      cell: (counts: Counts) => ({ text: String(view.numbers(counts)[header]) }),
    })),
  ];
}

/** Renders a row for each day and the totals. */
export function renderDays<Counts>(
  days: readonly (Counts & { readonly day: string })[],
  view: MetricsView<Counts>,
  options: BarsOptions,
): string {
  const rows = days.map((counts): BarRow & { numbers: number[] } => {
    const numbers = Object.values(view.numbers(counts));
    return { cells: [counts.day, ...numbers.map(formatCount)], counts: view.bar(counts), numbers };
  });
  const totals = view.headers.map((_name, index) => rows.reduce((sum, { numbers }) => sum + (numbers[index] ?? 0), 0));
  const total: BarRow = { cells: ['Total', ...totals.map(formatCount)], counts: null };
  return renderBars(['DAY', ...view.headers], view.parts, [...rows, total], options);
}

/** Zero counts have no colour. */
function countLine(label: string, count: number, tone?: Tone): RecordLine {
  return { label, text: formatCount(count), tone: count > 0 ? tone : undefined, raw: String(count) };
}

function indented(of: string, lines: readonly RecordLine[]): RecordLine[] {
  return lines.map((line) => ({ ...line, label: `  ${line.label}`, key: `${of} ${line.label.toLowerCase()}` }));
}
