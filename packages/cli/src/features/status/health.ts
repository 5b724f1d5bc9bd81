import { type Client, type HealthReady, ServerError, type HealthLive } from '@svc/sdk';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import type { RecordLine } from '../../format/record.ts';

/** @throws CliError (exit 8) that names the failed checks if the platform is not ready */
export async function checkHealth(client: Client, maxRetries: number): Promise<HealthReady> {
  try {
    return await client.discovery.ready({ maxRetries });
  } catch (error) {
    const failed = error instanceof ServerError ? failedChecks(error.body) : [];
    if (failed.length === 0) throw error;
    const message = `The platform is up but not ready: ${failed.join(', ')} failed`;
    throw new CliError('not_ready', EXIT_CODES.unavailable, message, null, error);
  }
}

function failedChecks(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('checks' in body)) return [];
  const { checks } = body;
  if (typeof checks !== 'object' || checks === null) return [];
  return Object.entries(checks).flatMap(([name, result]) => (result === 'ok' ? [] : [name]));
}

/** Returns the status and, for readiness, each check. */
export function healthLines(health: HealthLive | HealthReady): RecordLine[] {
  const checks = 'checks' in health ? Object.entries(health.checks) : [];
  const lines = [['platform', health.status], ...checks] as const;
  return lines.map(([label = '', text = '']) => ({ label, text, tone: text === 'ok' ? 'good' : 'bad' }));
}
