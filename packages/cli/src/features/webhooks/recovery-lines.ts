import type { RecoverSkipReason, RecoveryPlan, RecoverySummary } from './recover.ts';
import { type RecordLine, renderRecord } from '../../format/record.ts';
import { renderTable, type TableOptions } from '../../terminal/table.ts';
import { WEBHOOK_DELIVERY_COLUMNS } from './columns.ts';

const REASONS: Readonly<Record<RecoverSkipReason, string>> = {
  recovered: 'delivered since',
  pending: 'under way',
  superseded: 'failed again later',
};

/** What there was, and what became of it; before it is done, with the deliveries themselves. */
export function renderRecovery(summary: RecoverySummary, { replays }: RecoveryPlan, options: TableOptions): string {
  const { dryRun, found, since, skipped, queued, refused } = summary;
  const lines: RecordLine[] = [
    { label: 'Not delivered', text: `${found} since ${since}` },
    {
      label: dryRun ? 'Would be queued' : 'Queued',
      text: String(queued.length),
      tone: queued.length > 0 ? 'good' : undefined,
    },
    { label: 'Skipped', text: `${skipped.length}${describeSkipped(skipped)}` },
    { label: 'Refused', text: String(refused.length), tone: refused.length > 0 ? 'bad' : undefined },
    ...refused.map(({ id, status, message }) => ({ label: '', text: `${id}: ${message} (${status})` })),
  ];
  const listed = dryRun && replays.length > 0 ? `\n${renderTable(replays, WEBHOOK_DELIVERY_COLUMNS, options)}` : '';
  return renderRecord(lines, options.paint) + listed;
}

function describeSkipped(skipped: RecoverySummary['skipped']): string {
  const counts = Object.entries(REASONS).flatMap(([reason, text]) => {
    const count = skipped.filter((each) => each.reason === reason).length;
    return count === 0 ? [] : [`${count} ${text}`];
  });
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`;
}
