import type { Blocklist } from '@svc/sdk';
import type { ResyncOutcome, ResyncState } from './resync.ts';
import type { Tone } from '../../terminal/colors.ts';
import { formatCount } from '../../terminal/progress.ts';
import { toMinute } from '../../format/record.ts';
import type { Cell, Column } from '../../terminal/table.ts';

export const BLOCKLIST_COLUMNS: readonly Column<Blocklist>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'LIST', cell: ({ listName }) => ({ text: listName }), canShrink: true },
  { header: 'STATUS', cell: statusCell },
  { header: 'SYNCED', cell: ({ syncedCount }) => ({ text: formatCount(syncedCount) }) },
  { header: 'PENDING', cell: ({ pendingCount }) => ({ text: formatCount(pendingCount) }) },
  { header: 'LAST ERROR', cell: ({ lastError }) => ({ text: lastError ?? '', tone: 'bad' }), canShrink: true },
  { header: 'FETCHED', cell: ({ lastFetchedAt }) => fetchedCell(lastFetchedAt), dropOrder: 1 },
  { header: 'PLATFORM', cell: ({ platform }) => ({ text: platform }), dropOrder: 2 },
  { header: 'BLOCKS', cell: ({ blockType }) => ({ text: blockType }), dropOrder: 3 },
  { header: 'CONNECTION', cell: ({ connectionId, crm }) => ({ text: `${connectionId} ${crm ?? ''}` }), dropOrder: 4 },
];

/** Shows the status, or "paused" for a paused list, because `status` keeps its value while paused. */
function statusCell({ isEnabled, status, lastError }: Blocklist): Cell {
  if (!isEnabled) return { text: 'paused', tone: 'muted' };
  if (status === 'SYNCED') return { text: status, tone: lastError === null ? 'good' : 'bad' };
  return { text: status, tone: status === 'CREATED' ? undefined : 'warn' };
}

function fetchedCell(lastFetchedAt: string | null): Cell {
  return lastFetchedAt === null ? { text: 'never', tone: 'muted' } : { text: toMinute(lastFetchedAt) };
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
};

/** The table during and after a resync. */
export const RESYNC_COLUMNS: readonly Column<ResyncState>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'LIST', cell: ({ blocklist }) => ({ text: blocklist?.listName ?? '' }), canShrink: true },
  { header: 'RESYNC', cell: resyncCell },
  { header: 'SYNCED', cell: ({ blocklist }) => ({ text: blocklist ? formatCount(blocklist.syncedCount) : '' }) },
  { header: 'PENDING', cell: ({ blocklist }) => ({ text: blocklist ? formatCount(blocklist.pendingCount) : '' }) },
  { header: 'WHY', cell: (state) => ({ text: reasonOf(state) }), canShrink: true },
  { header: 'PLATFORM', cell: ({ blocklist }) => ({ text: blocklist?.platform ?? '' }), dropOrder: 1 },
];

function resyncCell(state: ResyncState): Cell {
  if (state.outcome !== null) return { text: state.outcome, tone: OUTCOME_TONES[state.outcome] };
  return { text: activityOf(state), tone: 'warn' };
}

function activityOf({ phase, blocklist }: ResyncState): string {
  if (phase === 'waiting') return blocklist?.status.toLowerCase() ?? 'waiting';
  return phase === 'blocked' ? 'waiting to start' : '';
}

/** Explains every outcome other than success. */
function reasonOf({ outcome, blocklist, error }: ResyncState): string {
  if (outcome === 'failed') return blocklist?.lastError ?? '';
  if (outcome === 'left-paused') return 'give its id to enable it';
  if (outcome === 'paused') return 'paused by somebody else';
  if (outcome === 'timeout') return 'still running, continues';
  return error?.message ?? '';
}

/** Describes the state of a list in one line. */
export function resyncLine(state: ResyncState): string {
  const { id, blocklist, outcome } = state;
  const name = blocklist === null ? String(id) : `${id} ${blocklist.listName}`;
  const reason = reasonOf(state);
  const counts =
    blocklist !== null && state.phase === 'waiting' && blocklist.status === 'SYNCING'
      ? `, ${formatCount(blocklist.syncedCount)} synced, ${formatCount(blocklist.pendingCount)} pending`
      : '';
  return `${name}: ${outcome ?? activityOf(state)}${counts}${reason === '' ? '' : ` (${reason})`}`;
}
