import type { AccountMetrics, Client, DeliveryMetrics, RequestMetrics, SyncMetrics } from '@svc/sdk';
import { type Day, splitDays, splitForCounting, sumCounts } from './count-windows.ts';
import type { TimeRange } from '../../command/time-range.ts';

export interface MetricsFilter {
  readonly sourceId: number | undefined;
  readonly connectionId: number | undefined;
  readonly destinationId: number | undefined;
}

/** What is counted, and the form of the answer. */
export interface MetricsOf {
  readonly account: AccountMetrics;
  readonly syncs: SyncMetrics;
  readonly requests: RequestMetrics;
  readonly deliveries: DeliveryMetrics;
}

export type MetricsSubject = keyof MetricsOf;

type CountPart<Subject extends MetricsSubject> = (part: TimeRange) => Promise<MetricsOf[Subject]>;

/** One request, over at most 31 days. */
export function createCounters(
  client: Client,
  { sourceId, connectionId, destinationId }: MetricsFilter,
): { readonly [Subject in MetricsSubject]: CountPart<Subject> } {
  return {
    account: (part) => client.account.metrics({ ...part, sourceId, connectionId }),
    syncs: (part) => client.syncs.metrics({ ...part, sourceId, connectionId }),
    requests: (part) => client.requests.metrics({ ...part, sourceId }),
    // Those of all destinations are counted with the account only.
    deliveries: async (part) =>
      destinationId === undefined
        ? (await client.account.metrics({ ...part, connectionId })).destinationDeliveries
        : client.destinations.deliveryMetrics(destinationId, part),
  };
}

/** Counts over a range of any span. */
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

/** Days that are asked for at the same time: enough to hide the way there and back, few enough to leave others room. */
const AT_ONCE = 4;

/** A request for each day, oldest first. */
export async function countDays<Subject extends MetricsSubject>(
  count: CountPart<Subject>,
  range: TimeRange,
  onProgress: (done: number, all: number) => void,
): Promise<(MetricsOf[Subject] & { day: string })[]> {
  const days = splitDays(range);
  const counted: (MetricsOf[Subject] & { day: string })[] = [];
  const countOne = async ({ day, from, to }: Day) => ({ day, ...(await count({ from, to })) });
  for (let start = 0; start < days.length; start += AT_ONCE) {
    counted.push(...(await Promise.all(days.slice(start, start + AT_ONCE).map(countOne))));
    onProgress(counted.length, days.length);
  }
  return counted;
}
