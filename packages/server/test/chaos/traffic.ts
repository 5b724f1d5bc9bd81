/** The sequencers of a chaos run: they post until they are answered 200, and may be answered otherwise only with 503. */
import { setTimeout } from 'node:timers/promises';
import type { ServerNode } from '../support/cluster/servers.ts';
import type { Random } from './random.ts';
import { API_KEY, pathOfSource, SOURCES } from './world.ts';

export interface SentEvent {
  /** Names the seed too: `seed-7-event-12`. It is the subject of what is written to the CRM. */
  readonly key: string;
  readonly source: number;
  readonly type: string;
  readonly email: string;
  /** How often it was posted. */
  attempts: number;
  /** The receipts that were acknowledged. */
  acknowledged: number[];
  /** When it was posted first, and when it was acknowledged; on the machine's monotonic clock. */
  postedAtMs: number;
  acknowledgedAtMs: number;
}

const ANSWER_MS = 3_000;
const CONCURRENCY = 8;

export interface Traffic {
  readonly events: readonly SentEvent[];
  /** Answers by status; 0 is none. */
  readonly statuses: Map<number, number>;
  /** Number of acknowledged events. */
  acknowledged(): number;
  done: Promise<void>;
}

/** @param prefix begins the keys of the events and the addresses of their leads */
export function startTraffic(
  servers: readonly ServerNode[],
  { random, count, prefix }: { random: Random; count: number; prefix: string },
): Traffic {
  // Each has many events, so that their order is put to the test.
  const contacts = Math.ceil(count / 12);
  const events: SentEvent[] = Array.from({ length: count }, (_, index) => ({
    key: `${prefix}-event-${index}`,
    source: random.pick(SOURCES),
    type: random.pick(['EMAIL_SENT', 'EMAIL_SENT', 'EMAIL_SENT', 'EMAIL_REPLY']),
    email: `${prefix}-lead-${random.between(1, contacts)}@leads.example`,
    attempts: 0,
    acknowledged: [],
    postedAtMs: Infinity,
    acknowledgedAtMs: Infinity,
  }));
  const statuses = new Map<number, number>();
  let next = 0;
  let acknowledged = 0;

  async function post(event: SentEvent): Promise<void> {
    for (;;) {
      const server = servers[(event.attempts + event.source) % servers.length];
      event.attempts += 1;
      event.postedAtMs = Math.min(event.postedAtMs, performance.now());
      const answer = await fetch(`${server?.url}/webhooks/${pathOfSource(event.source)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ event_type: event.type, to_email: event.email, stats_id: event.key, subject: event.key },
          ...(event.type === 'EMAIL_REPLY' && { reply_body: 'Yes!' }),
        }),
        signal: AbortSignal.timeout(ANSWER_MS),
      })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => ({ status: 0, text: '' }));
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 200) {
        event.acknowledged.push(JSON.parse(answer.text).requestId);
        event.acknowledgedAtMs = performance.now();
        acknowledged += 1;
        return;
      }
      await setTimeout(50);
    }
  }

  async function send(): Promise<void> {
    for (let event = events[next]; event !== undefined; event = events[next]) {
      next += 1;
      await post(event);
    }
  }

  const done = Promise.all(Array.from({ length: CONCURRENCY }, send)).then(() => {});
  return { events, statuses, acknowledged: () => acknowledged, done };
}

/** Reads the API until `stop`; returns the answers by status. */
export function startReader(servers: readonly ServerNode[], now: () => Date): { stop(): Promise<Map<number, number>> } {
  const statuses = new Map<number, number>();
  let isStopped = false;
  const hourFromNow = (hours: number) => new Date(now().getTime() + hours * 3_600_000).toISOString();
  const range = () => `from=${hourFromNow(-24)}&to=${hourFromNow(1)}`;
  const read = async () => {
    for (let number = 0; !isStopped; number += 1) {
      const path = ['/connections', `/syncs?${range()}`, `/account/metrics?${range()}`, '/blocklists'][number % 4];
      const status = await fetch(`${servers[number % servers.length]?.url}/api/v1${path}`, {
        headers: { authorization: `Bearer ${API_KEY}` },
        signal: AbortSignal.timeout(ANSWER_MS),
      }).then(
        async (response) => {
          await response.text();
          return response.status;
        },
        () => 0,
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await setTimeout(100);
    }
  };
  const done = read();
  return {
    async stop() {
      isStopped = true;
      await done;
      return statuses;
    },
  };
}
