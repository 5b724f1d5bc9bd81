import type { HealthLive, HealthReady } from '@svc/sdk';
import type { RecordLine } from '../../format/record.ts';

/** Whether it is up, and, where that was asked, each thing that it needs to be ready. */
export function healthLines(health: HealthLive | HealthReady): RecordLine[] {
  const checks = 'checks' in health ? Object.entries(health.checks) : [];
  const lines = [['platform', health.status], ...checks] as const;
  return lines.map(([label = '', text = '']) => ({ label, text, tone: text === 'ok' ? 'good' : 'bad' }));
}
