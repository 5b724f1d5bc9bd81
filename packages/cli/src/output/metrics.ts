import type { SyncMetrics } from '@svc/sdk';
import type { TimeRange } from '../services/time-range.ts';
import { formatCount } from './progress.ts';
import type { RecordLine } from './record.ts';

export function metricsLines({ success, warning, error }: SyncMetrics, { from, to }: TimeRange): RecordLine[] {
  return [
    { label: 'Range', text: `${from} to ${to}` },
    { label: 'Success', text: formatCount(success), tone: 'good' },
    { label: 'Warning', text: formatCount(warning), tone: warning > 0 ? 'warn' : undefined },
    { label: 'Error', text: formatCount(error), tone: error > 0 ? 'bad' : undefined },
    { label: 'Total', text: formatCount(success + warning + error) },
  ];
}
