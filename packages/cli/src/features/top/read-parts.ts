import { type AccountMetrics, type CallOptions, type Client, NotFoundError, PermissionError } from '@svc/sdk';
import { readFailingSources } from '@svc/mcp/explain/failing-sources';
import { toErrorReport } from '../../command/map-error.ts';
import {
  HOUR_MS,
  type HourCounts,
  hourStarts,
  mergeSyncs,
  MINUTE_MS,
  type PartName,
  RATE_MINUTES,
  SYNCS_KEPT,
  type TopData,
} from './top-data.ts';

/** Adds what was read to what is known. */
export type Patch = (data: TopData) => TopData;

/** A part of the data that is read by itself. */
export interface Part {
  /** Read at every so many polls. */
  readonly everyPolls: number;
  readonly read: (client: Client, data: TopData, nowMs: number, options: CallOptions) => Promise<Patch>;
}

const DAY_MS = 24 * HOUR_MS;
/** How far back the log is read at first. */
const LOG_DAYS = 7;
/** Rows that become visible late are still found. */
const OVERLAP_MS = MINUTE_MS;
/** How far the end of a range lies ahead, because the clock is not exact. */
const AHEAD_MS = MINUTE_MS;
/** The newest requests, which are compared with the log. */
const REQUESTS_READ = 100;
/** Hours that are counted at a time, so that the start does not spend the rate limit. */
const HOURS_READ = 8;

/** With a poll every 5 seconds, all parts together are about 50 of the 120 requests that a key may make in a minute. */
export const PARTS: Readonly<Record<PartName, Part>> = {
  key: {
    everyPolls: 60,
    async read(client, _data, _nowMs, options) {
      const me = await client.me.get(options);
      return (data) => ({ ...data, me });
    },
  },
  status: {
    everyPolls: 2,
    async read(client, _data, _nowMs, options) {
      const status = await client.account.status(options);
      const clockOffsetMs = Date.parse(status.checkedAt) - Date.now();
      return (data) => ({ ...data, status, ...(Number.isNaN(clockOffsetMs) ? {} : { clockOffsetMs }) });
    },
  },
  log: {
    everyPolls: 1,
    async read(client, { syncs }, nowMs, options) {
      const newest = syncs?.[0];
      const fromMs = newest === undefined ? nowMs - LOG_DAYS * DAY_MS : Date.parse(newest.createdAt) - OVERLAP_MS;
      const params = { ...rangeOf(fromMs, Math.max(fromMs, nowMs) + AHEAD_MS), pageSize: SYNCS_KEPT };
      const read = await client.syncs.list(params, options).toArray({ limit: SYNCS_KEPT });
      return (data) => ({ ...data, syncs: mergeSyncs(data.syncs ?? [], read) });
    },
  },
  requests: {
    everyPolls: 2,
    async read(client, _data, nowMs, options) {
      const params = { ...rangeOf(nowMs - DAY_MS, nowMs + AHEAD_MS), pageSize: REQUESTS_READ };
      const requests = await client.requests.list(params, options).toArray({ limit: REQUESTS_READ });
      return (data) => ({ ...data, requests });
    },
  },
  minutes: counted(2, RATE_MINUTES * MINUTE_MS, (minutes) => ({ minutes })),
  hour: counted(6, HOUR_MS, (hour) => ({ hour })),
  day: counted(12, DAY_MS, (day) => ({ day })),
  hours: {
    everyPolls: 2,
    async read(client, { rates }, nowMs, options) {
      const missing = hourStarts(nowMs).filter((startMs) => rates.hours.get(startMs)?.isComplete !== true);
      const read = await Promise.all(
        missing.slice(-HOURS_READ).map(async (startMs): Promise<[number, HourCounts]> => {
          const endMs = startMs + HOUR_MS - 1;
          const counts = await client.account.metrics(rangeOf(startMs, endMs), options);
          return [startMs, { counts, isComplete: endMs + OVERLAP_MS < nowMs }];
        }),
      );
      const shown = new Set(hourStarts(nowMs));
      return ({ rates: known, ...data }) => {
        const hours = new Map([...known.hours, ...read].filter(([startMs]) => shown.has(startMs)));
        return { ...data, rates: { ...known, hours } };
      };
    },
  },
  'block lists': {
    everyPolls: 3,
    async read(client, _data, _nowMs, options) {
      const { blocklists } = await client.blocklists.list({}, options);
      return (data) => ({ ...data, blocklists });
    },
  },
  'failing sources': {
    everyPolls: 3,
    async read(client, _data, _nowMs, options) {
      const failing = await readFailingSources(client, options);
      return (data) => ({ ...data, failing });
    },
  },
};

/** Returns the patch that names a part which the key may not read; null for other errors. */
export function patchOfRefusal(name: PartName, error: unknown): Patch | null {
  if (!(error instanceof PermissionError || error instanceof NotFoundError)) return null;
  const { message } = toErrorReport(error);
  return (data) => ({ ...data, refused: new Map([...data.refused, [name, message]]) });
}

function counted(
  everyPolls: number,
  lengthMs: number,
  toRates: (counts: AccountMetrics) => Partial<TopData['rates']>,
): Part {
  return {
    everyPolls,
    async read(client, _data, nowMs, options) {
      const counts = await client.account.metrics(rangeOf(nowMs - lengthMs, nowMs), options);
      return (data) => ({ ...data, rates: { ...data.rates, ...toRates(counts) } });
    },
  };
}

function rangeOf(fromMs: number, toMs: number): { from: string; to: string } {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}
