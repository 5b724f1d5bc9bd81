/** The state of a connection and of its quota, as the list and the pages of one show them. */
import type { AdminResult } from '../../data/operations.ts';
import { Status, toneOf } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';

type Listed = AdminResult<'connections/list'>;
export type ShownConnection = Listed['connections'][number];
export type Quota = Listed['quotas'][number];
export type Outage = Listed['outages'][number];

const WORDS: Readonly<Record<string, string>> = {
  ready: 'Ready',
  disconnected: 'Disconnected',
  error: 'Error at the CRM',
  disabled: 'Off',
  not_configured: 'Not set up',
};

export function ConnectionStatus({ status }: { status: string }) {
  return <Status tone={toneOf(status)}>{WORDS[status] ?? status}</Status>;
}

/** How much of the CRM's day is left. */
export function QuotaLeft({ quota }: { quota: Quota | undefined }) {
  if (quota === undefined) return '–';
  if (quota.stoppedSince !== null) return <Status tone="warn">used up</Status>;
  const left = Math.max(0, quota.limit - quota.used);
  // No-break spaces: a table would break the line of a number.
  return `${left.toLocaleString('en')}\u00a0of\u00a0${quota.limit.toLocaleString('en')}`;
}

/** Why events of a connection wait; nothing when none waits. */
export function Waiting({ quota, outage }: { quota: Quota | undefined; outage: Outage | undefined }) {
  if (outage !== undefined) {
    return (
      <span>
        {outage.waiting.toLocaleString('en')} {outage.waiting === 1 ? 'event' : 'events'}; next try{' '}
        <Time at={outage.nextProbeAt} />
      </span>
    );
  }
  if (quota !== undefined && quota.stoppedSince !== null) {
    return (
      <span>
        since <Time at={quota.stoppedSince} />; next call <Time at={quota.nextCallAt} />
      </span>
    );
  }
  if (quota !== undefined && quota.pausedUntil !== null) {
    return (
      <span>
        paused until <Time at={quota.pausedUntil} />
      </span>
    );
  }
  return '–';
}
