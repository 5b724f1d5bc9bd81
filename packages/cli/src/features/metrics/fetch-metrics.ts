import type { AccountMetrics, Client, DeliveryMetrics, RequestMetrics, SyncMetrics } from '@svc/sdk';
import { type Day, splitDays, splitForCounting, sumCounts } from './count-windows.ts';
import type { TimeRange } from '../../command/time-range.ts';

export interface MetricsFilter {
  readonly sourceId: number | undefined;
  readonly connectionId: number | undefined;
  readonly destinationId: number | undefined;
}

/** The answer for each subject. */
export interface MetricsOf {
  readonly account: AccountMetrics;
  readonly syncs: SyncMetrics;
  readonly requests: RequestMetrics;
  readonly deliveries: DeliveryMetrics;
}

export type MetricsSubject = keyof MetricsOf;

type CountPart<Subject extends MetricsSubject> = (part: TimeRange) => Promise<MetricsOf[Subject]>;

/** Returns functions that count at most 31 days with one request. */
export function createCounters(
  client: Client,
  { sourceId, connectionId, destinationId }: MetricsFilter,
): { readonly [Subject in MetricsSubject]: CountPart<Subject> } {
  return {
    account: (part) => client.account.metrics({ ...part, sourceId, connectionId }),
    syncs: (part) => client.syncs.metrics({ ...part, sourceId, connectionId }),
    requests: (part) => client.requests.metrics({ ...part, sourceId }),
    // Only the account metrics count the deliveries of all destinations.
    deliveries: async (part) =>
      destinationId === undefined
        ? (await client.account.metrics({ ...part, connectionId })).destinationDeliveries
        : client.destinations.deliveryMetrics(destinationId, part),
  };
}

/** Counts a range of any length. */
export async function countRange<Subject extends MetricsSubject>(
  count: CountPart<Subject>,
  range: TimeRange,
): Promise<MetricsOf[Subject]> {
  const [first = range, ...rest] = splitForCounting(range);
  const counts: [MetricsOf[Subject], ...MetricsOf[Subject][]] = [await count(first)];
  for (const part of rest) counts.push(await count(part));
  if (rest.length === 0) return counts[0];
  const sum = sumCounts(counts);
  return 'to' in sum ? { ...sum, to: range.to } : sum;
}

/** Number of days that are requested at the same time. */
const CONCURRENCY = 4;

/** Counts each day with one request, oldest first. */
export async function countDays<Subject extends MetricsSubject>(
  count: CountPart<Subject>,
  range: TimeRange,
  onProgress: (done: number, all: number) => void,
): Promise<(MetricsOf[Subject] & { day: string })[]> {
  const days = splitDays(range);
  const counted: (MetricsOf[Subject] & { day: string })[] = [];
  const countOne = async ({ day, from, to }: Day) => ({ day, ...(await count({ from, to })) });
  for (let start = 0; start < days.length; start += CONCURRENCY) {
    counted.push(...(await Promise.all(days.slice(start, start + CONCURRENCY).map(countOne))));
    onProgress(counted.length, days.length);
  }
  return counted;
}
