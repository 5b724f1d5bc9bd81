import type { RetryQueued } from '@svc/sdk';
import type { RetryAllResult } from './retry-all.ts';
import { formatCount } from '../../terminal/progress.ts';
import type { RecordLine } from '../../format/record.ts';

type SkipReason = RetryAllResult['skipped'][number]['reason'];

const REASONS: Readonly<Record<SkipReason, string>> = {
  recovered: 'written since',
  superseded: 'failed again later',
  crm: 'CRM without retry',
};

/** Refusals that are shown; the JSON has them all. */
const SHOWN_REFUSALS = 20;

export function retryLines({ syncId }: RetryQueued): RecordLine[] {
  return [
    { label: 'Sync', text: String(syncId) },
    { label: 'Retry', text: 'queued', tone: 'good' },
  ];
}

export function retryAllLines({ from, to, dryRun, found, queued, skipped, refused }: RetryAllResult): RecordLine[] {
  const shown = refused.slice(0, SHOWN_REFUSALS);
  const hidden = refused.length - shown.length;
  return [
    { label: 'Range', text: `${from} to ${to}` },
    { label: 'Failed', text: formatCount(found) },
    {
      label: dryRun ? 'Would be queued' : 'Queued',
      text: formatCount(queued.length),
      tone: queued.length > 0 ? 'good' : undefined,
    },
    { label: 'Skipped', text: formatCount(skipped.length) + describeSkipped(skipped) },
    { label: 'Refused', text: formatCount(refused.length), tone: refused.length > 0 ? 'bad' : undefined },
    ...shown.map(({ id, status, message }) => ({ label: '', text: `${id}: ${message} (${status})` })),
    ...(hidden > 0 ? [{ label: '', text: `and ${formatCount(hidden)} more, which --json lists` }] : []),
  ];
}

function describeSkipped(skipped: RetryAllResult['skipped']): string {
  const counts = Object.entries(REASONS).flatMap(([reason, text]) => {
    const count = skipped.filter((each) => each.reason === reason).length;
    return count === 0 ? [] : [`${formatCount(count)} ${text}`];
  });
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`;
}
