import type { CallOptions, Client, PlatformEvent } from '@svc/sdk';

/** Events that are read to find the latest one of every source. */
const EVENTS_READ = 100;

/** A source whose latest platform event is `sync.failed`. */
export interface FailingSource {
  readonly connectionId: number;
  readonly sourceId: number;
  readonly platform: string;
  readonly since: string;
  /** What went wrong and how to fix it, in the service's words. */
  readonly reason: string;
  readonly remediation: string;
}

/**
 * Returns the sources whose syncs fail now. The account status does not show them, because a connection is ready as long as
 * its CRM can be reached.
 *
 * @throws ApiError if the events cannot be read, for example because webhooks are not enabled
 */
export async function readFailingSources(client: Client, options: CallOptions = {}): Promise<FailingSource[]> {
  const events = client.events.list({ types: ['sync.failed', 'sync.recovered'], pageSize: EVENTS_READ }, options);
  const failing = findFailingSources(await events.toArray({ limit: EVENTS_READ }));
  if (failing.length === 0) return [];
  // A source that was deleted while it failed never recovers.
  const { sources } = await client.sources.list(options);
  return failing.filter(({ sourceId }) => sources.some(({ id }) => id === sourceId));
}

/** Like `readFailingSources`, but returns none if the events cannot be read. */
export function fetchFailingSources(client: Client, options: CallOptions = {}): Promise<FailingSource[]> {
  return readFailingSources(client, options).catch(() => []);
}

/** @param events newest first */
function findFailingSources(events: readonly PlatformEvent[]): FailingSource[] {
  const seen = new Set<string>();
  const failing: FailingSource[] = [];
  for (const { type, connectionId, sourceId, data, createdAt } of events) {
    if (connectionId === null || sourceId === null) continue;
    const pair = `${connectionId} ${sourceId}`;
    if (seen.has(pair)) continue;
    seen.add(pair);
    if (type !== 'sync.failed') continue;
    const [platform, reason, remediation] = ['sourcePlatform', 'reason', 'remediation'].map((name) =>
      textOf(data[name]),
    );
    failing.push({
      ...{ connectionId, sourceId, since: createdAt },
      ...{ platform: platform ?? '', reason: reason ?? '', remediation: remediation ?? '' },
    });
  }
  return failing;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
