import type { HealthReady } from '@svc/sdk';
import type { RecordLine } from './record.ts';

export function healthLines({ status, checks }: HealthReady): RecordLine[] {
  const lines = [['platform', status], ...Object.entries(checks)] as const;
  return lines.map(([label = '', text = '']) => ({ label, text, tone: text === 'ok' ? 'good' : 'bad' }));
}
