/** The list of past activity of lemlist, as its documentation has it; source and date are in `sequencers/src/history/lemlist.ts`. */
export type Activity = Readonly<Record<string, unknown>> & { readonly _id: string; readonly createdAt: string };

export interface SimulatedActivities {
  /** Adds activities of the team of an API key. */
  add(token: string, activities: readonly Activity[]): void;
  /** Answers a call; the newest come first. */
  answer(token: string, query: URLSearchParams): { status: number; body: unknown };
  clear(): void;
}

const LIMIT_MAX = 100;

export function createSimulatedActivities(): SimulatedActivities {
  let stored: { token: string; activity: Activity }[] = [];
  return {
    add(token, activities) {
      stored.push(...activities.map((activity) => ({ token, activity })));
    },
    answer(token, query) {
      if (query.get('version') !== 'v2') return { status: 400, body: { message: 'version must be v2' } };
      const limit = Number(query.get('limit') ?? LIMIT_MAX);
      if (!(limit >= 1 && limit <= LIMIT_MAX)) return { status: 400, body: { message: 'limit' } };
      const [min, max] = ['minDate', 'maxDate'].map((name) => Date.parse(query.get(name) ?? ''));
      if (min === undefined || max === undefined || !(max > min)) return { status: 400, body: { message: 'dates' } };
      const offset = Number(query.get('offset') ?? 0);
      const campaignId = query.get('campaignId');
      const found = stored
        .filter((one) => one.token === token)
        .map(({ activity }) => activity)
        .filter((activity) => campaignId === null || activity['campaignId'] === campaignId)
        .filter(({ createdAt }) => Date.parse(createdAt) >= min && Date.parse(createdAt) <= max)
        .toReversed()
        .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
      return { status: 200, body: found.slice(offset, offset + limit) };
    },
    clear() {
      stored = [];
    },
  };
}
