import type { Blocklist } from '@svc/sdk';
import type { ResyncOutcome, ResyncState } from './resync.ts';
import type { Tone } from '../../terminal/colors.ts';
import { formatCount } from '../../terminal/progress.ts';
import { type RecordLine } from '../../format/record.ts';
import { timeCell } from '../../format/times.ts';
import type { Cell, Column } from '../../terminal/table.ts';

export const BLOCKLIST_COLUMNS: readonly Column<Blocklist>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'LIST', cell: ({ listName }) => ({ text: listName }), canShrink: true },
  { header: 'STATUS', cell: statusCell },
  { header: 'SYNCED', cell: ({ syncedCount }) => countCell(syncedCount) },
  { header: 'PENDING', cell: ({ pendingCount }) => countCell(pendingCount) },
  { header: 'LAST ERROR', cell: ({ lastError }) => ({ text: lastError ?? '', tone: 'bad' }), canShrink: true },
  { header: 'FETCHED', cell: ({ lastFetchedAt }) => fetchedCell(lastFetchedAt), dropOrder: 1, field: 'lastFetchedAt' },
  { header: 'PLATFORM', cell: ({ platform }) => ({ text: platform }), dropOrder: 2, field: 'platform' },
  { header: 'BLOCKS', cell: ({ blockType }) => ({ text: blockType }), dropOrder: 3, field: 'blockType' },
  {
    header: 'CONNECTION',
    cell: ({ connectionId, crm }) => ({ text: `${connectionId} ${crm ?? ''}`, raw: String(connectionId) }),
    dropOrder: 4,
    field: 'connectionId',
  },
];

function countCell(count: number | undefined): Cell {
  return count === undefined ? { text: '' } : { text: formatCount(count), raw: String(count) };
}

/** Shows the status, or "paused" for a paused list, because `status` keeps its value while paused. */
function statusCell({ isEnabled, status, lastError }: Blocklist): Cell {
  if (!isEnabled) return { text: 'paused', tone: 'muted' };
  if (status === 'SYNCED') return { text: status, tone: lastError === null ? 'good' : 'bad' };
  return { text: status, tone: status === 'CREATED' ? undefined : 'warn' };
}

function fetchedCell(lastFetchedAt: string | null): Cell {
  return lastFetchedAt === null ? { text: 'never', tone: 'muted', raw: '' } : timeCell(lastFetchedAt);
}

const OUTCOME_TONES: Readonly<Record<ResyncOutcome, Tone>> = {
  queued: 'good',
  synced: 'good',
  failed: 'bad',
  paused: 'bad',
  refused: 'bad',
  timeout: 'warn',
  'in-progress': 'warn',
  'left-paused': 'muted',
  'no-crm-source': 'muted',
  'not-enabled': 'muted',
};

/** Why `--all` skips a list. */
const SKIP_REASONS: { readonly [outcome in ResyncOutcome]?: string } = {
  'left-paused': 'paused; give its id to enable it',
  'no-crm-source': 'no CRM source to fetch from',
  'not-enabled': 'block lists are not enabled for its connection',
};

/** The table during and after a resync. */
export const RESYNC_COLUMNS: readonly Column<ResyncState>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'LIST', cell: ({ blocklist }) => ({ text: blocklist?.listName ?? '' }), canShrink: true },
  { header: 'RESYNC', cell: resyncCell },
  { header: 'SYNCED', cell: ({ blocklist }) => countCell(blocklist?.syncedCount) },
  { header: 'PENDING', cell: ({ blocklist }) => countCell(blocklist?.pendingCount) },
  { header: 'WHY', cell: (state) => ({ text: reasonOf(state) }), canShrink: true },
  { header: 'PLATFORM', cell: ({ blocklist }) => ({ text: blocklist?.platform ?? '' }), dropOrder: 1 },
];

function resyncCell(state: ResyncState): Cell {
  const { outcome } = state;
  if (outcome === null) return { text: activityOf(state), tone: 'warn' };
  return { text: outcome in SKIP_REASONS ? 'skipped' : outcome, tone: OUTCOME_TONES[outcome] };
}

/** The table of a dry run. */
export const RESYNC_DRY_RUN_COLUMNS: readonly Column<ResyncState>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'LIST', cell: ({ blocklist }) => ({ text: blocklist?.listName ?? '' }), canShrink: true },
  {
    header: 'RESYNC',
    cell: (state) => (state.outcome === 'queued' ? { text: 'would be queued', tone: 'good' } : resyncCell(state)),
  },
  { header: 'WHY', cell: (state) => ({ text: predictedReasonOf(state) }), canShrink: true },
  { header: 'PLATFORM', cell: ({ blocklist }) => ({ text: blocklist?.platform ?? '' }), dropOrder: 1 },
];

function predictedReasonOf(state: ResyncState): string {
  const { outcome, blocklist, error } = state;
  if (outcome === 'queued' && blocklist?.isEnabled === false) return 'paused; it would be enabled';
  // The API does not show whether there is a source, but a list without one cannot have been fetched.
  if (outcome === 'queued' && blocklist?.lastFetchedAt === null) return 'not fetched so far; it may have no CRM source';
  return outcome === 'in-progress' && error === null ? 'already resyncing' : reasonOf(state);
}

function activityOf({ phase, blocklist }: ResyncState): string {
  if (phase === 'waiting') return blocklist?.status.toLowerCase() ?? 'waiting';
  return phase === 'blocked' ? 'waiting to start' : '';
}

/** Explains every outcome other than success. */
function reasonOf({ outcome, blocklist, error }: ResyncState): string {
  const skipReason = outcome === null ? undefined : SKIP_REASONS[outcome];
  if (skipReason !== undefined) return skipReason;
  if (outcome === 'failed') return blocklist?.lastError ?? '';
  if (outcome === 'paused') return 'paused by somebody else';
  if (outcome === 'timeout') return 'still running, continues';
  return error?.message ?? '';
}

/** Describes the state of a list in one line. */
export function resyncLine(state: ResyncState): string {
  const { id, blocklist } = state;
  const name = blocklist === null ? String(id) : `${id} ${blocklist.listName}`;
  const reason = reasonOf(state);
  const counts =
    blocklist !== null && state.phase === 'waiting' && blocklist.status === 'SYNCING'
      ? `, ${formatCount(blocklist.syncedCount)} synced, ${formatCount(blocklist.pendingCount)} pending`
      : '';
  return `${name}: ${resyncCell(state).text}${counts}${reason === '' ? '' : ` (${reason})`}`;
}

export function blocklistLines(blocklist: Blocklist): RecordLine[] {
  const { id, listName, connectionId, crm, platform, blockType, syncedCount, pendingCount } = blocklist;
  const { lastFetchedAt, lastAttemptedAt, lastError, createdAt } = blocklist;
  return [
    { label: 'Block list', text: String(id) },
    { label: 'List', text: listName },
    { label: 'Status', ...statusCell(blocklist) },
    { label: 'Last error', text: lastError ?? 'none', raw: lastError ?? '' },
    { label: 'Synced', ...countCell(syncedCount) },
    { label: 'Pending', ...countCell(pendingCount) },
    { label: 'Fetched', text: lastFetchedAt ?? 'never', raw: lastFetchedAt ?? '' },
    { label: 'Last attempt', text: lastAttemptedAt ?? 'none yet' },
    { label: 'Connection', text: `${connectionId} ${crm ?? ''}`.trimEnd() },
    { label: 'Platform', text: platform },
    { label: 'Blocks', text: blockType },
    { label: 'Created', text: createdAt },
  ];
}
