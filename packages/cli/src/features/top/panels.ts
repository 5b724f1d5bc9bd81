import type { AccountMetrics, AccountStatusResponse, Blocklist, ConnectionStatus, Sync } from '@svc/sdk';
import type { Cell, Column } from '../../terminal/table.ts';
import { formatCount } from '../../terminal/progress.ts';
import { renderTable } from '../../terminal/table.ts';
import { renderRecord } from '../../format/record.ts';
import { toSecond } from '../../format/times.ts';
import { BLOCKLIST_COLUMNS, blocklistLines } from '../blocklists/columns.ts';
import { errorMessage, SYNC_TONES, syncLines } from '../logs/syncs.ts';
import { componentCell, renderStatus } from '../status/render.ts';
import { toAge, toShortTime } from './ages.ts';
import { failingPanel } from './failing.ts';
import { type Panel, type PanelId, toPanelRows } from './panel-rows.ts';
import { drawTrend } from './trend.ts';
import {
  countFailures,
  type FailureShare,
  findUnsynced,
  HOUR_MS,
  hourStarts,
  RATE_MINUTES,
  type TopData,
  type Unsynced,
} from './top-data.ts';

/** @param nowMs time of the service */
export function createPanels(data: TopData, nowMs: number): Readonly<Record<PanelId, Panel>> {
  return {
    connections: connectionsPanel(data, nowMs),
    failing: failingPanel(data, nowMs),
    rates: ratesPanel(data, nowMs),
    blocklists: blocklistsPanel(data, nowMs),
    log: logPanel(data, nowMs),
  };
}

/** A connection with what the log says of it. */
interface ConnectionRow {
  readonly status: ConnectionStatus;
  readonly newest: Sync | undefined;
  readonly failures: FailureShare | undefined;
  readonly unsynced: Unsynced | undefined;
}

function connectionsPanel(data: TopData, nowMs: number): Panel {
  const { status } = data;
  const connections = status?.connections ?? [];
  const unsynced = findUnsynced(data);
  const failures = countFailures(data.syncs ?? [], nowMs - HOUR_MS, ({ connectionId }) => connectionId);
  const values = connections.map((connection): ConnectionRow => {
    const { connectionId } = connection;
    return {
      status: connection,
      newest: data.syncs?.find((sync) => sync.connectionId === connectionId),
      failures: failures.get(connectionId),
      unsynced: unsynced.find((each) => each.connectionId === connectionId),
    };
  });
  return {
    ...toPanelRows(values, connectionColumns(nowMs), (value) => ({
      key: String(value.status.connectionId),
      title: `Connection ${value.status.connectionId} ${value.status.crm}`,
      syncId: value.failures?.newestFailure.id ?? null,
      renderPage: (width, paint) =>
        status === null
          ? ''
          : renderStatus(
              { status: onlyConnection(status, value.status), failing: data.failing ?? [] },
              { width, paint, isLong: true },
            ),
    })),
    title: 'Connections',
    summary: status === null ? '' : `${connections.filter(({ ready }) => ready).length} of ${connections.length} ready`,
    whenEmpty: status === null ? 'Reading …' : 'This key has no connection.',
  };
}

function onlyConnection(status: AccountStatusResponse, connection: ConnectionStatus): AccountStatusResponse {
  const isOwn = (issue: { connectionId: number }) => issue.connectionId === connection.connectionId;
  return {
    ...status,
    ready: connection.ready,
    connections: [connection],
    blockers: status.blockers.filter(isOwn),
    warnings: status.warnings.filter(isOwn),
  };
}

const connectionColumns = (nowMs: number): readonly Column<ConnectionRow>[] => [
  { header: 'ID', cell: ({ status }) => ({ text: String(status.connectionId) }) },
  { header: 'CRM', cell: ({ status }) => ({ text: status.crm }) },
  {
    header: 'ORGANIZATION',
    cell: ({ status }) => ({ text: status.crmConnection.organizationDomain }),
    dropOrder: 4,
    canShrink: true,
  },
  {
    header: 'READY',
    cell: ({ status }) => (status.ready ? { text: 'yes', tone: 'good' } : { text: 'no', tone: 'bad' }),
  },
  { header: 'CONNECTION', cell: ({ status }) => componentCell(status.crmConnection.status) },
  { header: 'SOURCES', cell: ({ status }) => componentCell(status.sources.status, status.sources.count) },
  {
    header: 'DESTINATIONS',
    cell: ({ status }) => componentCell(status.destinations.status, status.destinations.count),
    dropOrder: 3,
  },
  {
    header: 'BLOCK LISTS',
    cell: ({ status }) => componentCell(status.blocklists.status, status.blocklists.enabledCount),
    dropOrder: 1,
  },
  {
    header: 'FAILED 1H',
    cell: ({ failures }) => (failures === undefined ? { text: '' } : { text: shareText(failures), tone: 'bad' }),
  },
  {
    header: 'LAST SYNC',
    cell: ({ newest }) => ({ text: newest === undefined ? '' : toAge(newest.createdAt, nowMs) }),
    dropOrder: 2,
  },
  {
    header: 'NO SYNC YET',
    cell: ({ unsynced }) =>
      unsynced === undefined ? { text: '' } : { text: `${unsynced.count}, ${toAge(unsynced.oldestAt, nowMs)}` },
  },
];

function shareText({ failed, all }: FailureShare): string {
  return `${failed} of ${all}`;
}

interface RateRow {
  readonly name: string;
  readonly tone: 'good' | 'warn' | 'bad' | undefined;
  readonly count: (counts: AccountMetrics) => number;
}

const RATE_ROWS: readonly RateRow[] = [
  { name: 'requests', tone: undefined, count: ({ requests }) => requests.count },
  { name: 'written', tone: 'good', count: ({ syncs }) => syncs.success },
  { name: 'failed', tone: 'bad', count: ({ syncs }) => syncs.error },
  { name: 'warnings', tone: 'warn', count: ({ syncs }) => syncs.warning },
  { name: 'forwarded', tone: undefined, count: ({ destinationDeliveries }) => destinationDeliveries.success },
];

function ratesPanel(data: TopData, nowMs: number): Panel {
  const { rates } = data;
  const unsynced = findUnsynced(data);
  const waiting = unsynced.reduce((sum, { count }) => sum + count, 0);
  const oldest = unsynced.map(({ oldestAt }) => oldestAt).toSorted()[0];
  const starts = hourStarts(nowMs);
  const perMinute = (count: number) => (count / RATE_MINUTES).toFixed(count / RATE_MINUTES < 100 ? 1 : 0);
  const numbers = (show: (row: RateRow) => string) => {
    const texts = RATE_ROWS.map(show);
    const width = Math.max(...texts.map((text) => text.length));
    return new Map(RATE_ROWS.map((row, index) => [row, (texts[index] ?? '').padStart(width)]));
  };
  const columnOf = (counts: AccountMetrics | null, format: (count: number) => string) =>
    numbers(({ count }) => (counts === null ? '' : format(count(counts))));
  const minutes = columnOf(rates.minutes, perMinute);
  const hour = columnOf(rates.hour, formatCount);
  const day = columnOf(rates.day, formatCount);
  const toneOf = ({ name, tone, count }: RateRow, counts: AccountMetrics | null) =>
    name === 'requests' || counts === null || count(counts) === 0 ? undefined : tone;
  const columns: readonly Column<RateRow>[] = [
    { header: '', cell: ({ name }) => ({ text: name }) },
    { header: 'PER MIN', cell: (row) => ({ text: minutes.get(row) ?? '', tone: toneOf(row, rates.minutes) }) },
    { header: 'LAST HOUR', cell: (row) => ({ text: hour.get(row) ?? '', tone: toneOf(row, rates.hour) }) },
    { header: 'LAST 24 H', cell: (row) => ({ text: day.get(row) ?? '', tone: toneOf(row, rates.day) }) },
    ...(rates.hours.size === 0 ? [] : [trendColumn(data, starts)]),
  ];
  return {
    ...toPanelRows(RATE_ROWS, columns, ({ name }) => ({
      key: name,
      title: 'Rates of the last 24 hours',
      syncId: null,
      renderPage: (width, paint) => renderTable(starts.toReversed(), hourColumns(rates), { width, paint }),
    })),
    title: 'Rates',
    summary:
      waiting === 0 || oldest === undefined
        ? ''
        : `${waiting} ${waiting === 1 ? 'request' : 'requests'} without a sync yet, oldest ${toAge(oldest, nowMs)}`,
    whenEmpty: '',
  };
}

function trendColumn({ rates }: TopData, starts: readonly number[]): Column<RateRow> {
  const counts = starts.map((start) => rates.hours.get(start)?.counts ?? null);
  return {
    header: 'EACH OF 24 HOURS',
    cell: ({ count, tone }) => {
      return { text: drawTrend(counts.map((each) => (each === null ? null : count(each)))), tone };
    },
  };
}

function hourColumns({ hours }: TopData['rates']): readonly Column<number>[] {
  return [
    { header: 'HOUR', cell: (start) => ({ text: toSecond(new Date(start).toISOString()).replace(/:00(?=\D|$)/, '') }) },
    ...RATE_ROWS.map(({ name, tone, count }): Column<number> => {
      return {
        header: name.toUpperCase(),
        cell: (start) => {
          const found = hours.get(start);
          if (found === undefined) return { text: '' };
          const number = count(found.counts);
          return { text: formatCount(number).padStart(name.length), tone: number === 0 ? 'muted' : tone };
        },
      };
    }),
  ];
}

/** Cells that differ from those of the list, because a small screen has no line with the names of the columns. */
const blocklistCells: Readonly<Record<string, (blocklist: Blocklist, nowMs: number) => Cell>> = {
  SYNCED: ({ syncedCount }) => ({ text: `${formatCount(syncedCount)} synced` }),
  PENDING: ({ pendingCount }) => {
    return pendingCount === 0 ? { text: '' } : { text: `${formatCount(pendingCount)} pending`, tone: 'warn' };
  },
  FETCHED: ({ lastFetchedAt }, nowMs) => {
    if (lastFetchedAt === null) return { text: 'never fetched', tone: 'muted' };
    return { text: `fetched ${toAge(lastFetchedAt, nowMs)} ago` };
  },
};

function blocklistsPanel({ blocklists, refused }: TopData, nowMs: number): Panel {
  const pending = (blocklists ?? []).reduce((sum, { pendingCount }) => sum + pendingCount, 0);
  const columns = BLOCKLIST_COLUMNS.map((column): Column<Blocklist> => {
    const cell = blocklistCells[column.header];
    return cell === undefined ? column : { ...column, cell: (blocklist) => cell(blocklist, nowMs) };
  });
  return {
    ...toPanelRows(blocklists ?? [], columns, (blocklist) => ({
      key: String(blocklist.id),
      title: `Block list ${blocklist.id}`,
      syncId: null,
      renderPage: (_width, paint) => renderRecord(blocklistLines(blocklist), paint),
    })),
    title: 'Block lists',
    summary: blocklists === null ? '' : `${formatCount(pending)} pending`,
    whenEmpty: refused.get('block lists') ?? (blocklists === null ? 'Reading …' : 'There are no block lists.'),
  };
}

const logColumns = (nowMs: number): readonly Column<Sync>[] => [
  { header: 'TIME', cell: ({ createdAt }) => ({ text: toShortTime(createdAt, nowMs), tone: 'muted' }) },
  { header: 'STATUS', cell: ({ status }) => ({ text: status, tone: SYNC_TONES[status] }) },
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'EVENT', cell: ({ eventType }) => ({ text: eventType }), canShrink: true, enoughWidth: 16 },
  { header: 'RECIPIENT', cell: ({ toEmail }) => ({ text: toEmail }), canShrink: true, enoughWidth: 20 },
  { header: 'PLATFORM', cell: ({ platform }) => ({ text: platform }), dropOrder: 2 },
  { header: 'CONNECTION', cell: ({ connectionId }) => ({ text: String(connectionId) }), dropOrder: 3 },
  { header: 'SOURCE', cell: ({ sourceId }) => ({ text: sourceId === null ? '' : String(sourceId) }), dropOrder: 4 },
  {
    header: 'ERROR',
    cell: ({ error }) => ({ text: error === null ? '' : errorMessage(error), tone: 'bad' }),
    dropOrder: 1,
    canShrink: true,
    enoughWidth: 10,
  },
];

function logPanel({ syncs, refused }: TopData, nowMs: number): Panel {
  return {
    ...toPanelRows(syncs ?? [], logColumns(nowMs), (sync) => ({
      key: String(sync.id),
      title: `Sync ${sync.id}`,
      syncId: sync.id,
      renderPage: (_width, paint) => renderRecord(syncLines(sync), paint),
    })),
    title: 'Log',
    summary: syncs === null ? '' : `newest ${formatCount(syncs.length)} syncs`,
    whenEmpty: refused.get('log') ?? (syncs === null ? 'Reading …' : 'No syncs in the last 7 days.'),
  };
}
