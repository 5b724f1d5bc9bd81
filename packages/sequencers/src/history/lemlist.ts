/**
 * lemlist lists every activity of the team, also those of one campaign only.
 *
 * Sources (read November 2026; nothing was verified against the live service): developer.lemlist.com/api-reference/endpoints/activities,
 * "Get Many Activities". `version=v2` must be given. `minDate` and `maxDate` are about `createdAt`, both are included, and at most 100
 * activities come in a page. An API key may make 20 calls in 2 seconds. For campaigns, an empty body was seen in place of `[]`.
 *
 * A post is taken to be the same object as the activity: both have `_id` and `type`, of which the key of the event is made
 * (`events/lemlist.ts`). No live pair was compared.
 *
 * The order of the list is not documented, and pages by offset would move while activities arrive. So the list is read by slices of time,
 * from the oldest to the newest, each short enough for one page.
 */
import { basicAuthorization, type SequencerCallOptions } from '../calls/send-request.ts';
import { toInstant } from '../events/field-values.ts';
import { callList, notUnderstood } from './history-call.ts';
import type { HistoryAnswer, HistoryClient, HistoryItem, HistoryTarget } from './types.ts';

const PLATFORM = 'lemlist';
const PAGE_MAX = 100;
/** Eight calls in 2 seconds: the others are left to the team's other integrations. */
const PAUSE_MS = 250;
const SECOND_MS = 1_000;
/** The first slice. */
const DAY_MS = 24 * 60 * 60_000;
/** A page with fewer activities makes the next slice four times as long. */
const FEW = 25;

interface Slice {
  fromMs: number;
  /** A whole number of seconds. */
  lengthMs: number;
  /** Only where one second has more activities than a page. */
  offset: number;
}

export function createLemlistHistory(options: SequencerCallOptions): HistoryClient {
  return {
    pauseMs: PAUSE_MS,
    async next(target, cursor) {
      const slice = readCursor(cursor) ?? {
        fromMs: Math.floor(target.from.getTime() / SECOND_MS) * SECOND_MS,
        lengthMs: DAY_MS,
        offset: 0,
      };
      const endMs = Math.min(slice.fromMs + slice.lengthMs, roundUp(target.until.getTime()));
      const query = new URLSearchParams({
        version: 'v2',
        minDate: new Date(slice.fromMs).toISOString(),
        maxDate: new Date(endMs).toISOString(),
        limit: String(PAGE_MAX),
        offset: String(slice.offset),
        ...(target.campaignId === null ? {} : { campaignId: target.campaignId }),
      });
      const { token } = target;
      const headers = { Authorization: basicAuthorization(token) };
      const answer = await callList(options, { platform: PLATFORM, token, path: `/api/activities?${query}`, headers });
      if (answer.status === 'error') return answer;
      if (answer.isEmpty) return toPage(target, { ...slice, endMs }, []);
      if (!Array.isArray(answer.body)) return notUnderstood(PLATFORM, 'no list of activities');
      return toPage(target, { ...slice, endMs }, answer.body);
    },
  };
}

function toPage(
  target: HistoryTarget,
  { fromMs, endMs, offset, lengthMs }: Slice & { endMs: number },
  rows: readonly unknown[],
): HistoryAnswer {
  const activities = rows.map(readActivity);
  // Also says that the filter by time works: without it, slices would repeat the whole list.
  if (activities.some(({ atMs }) => atMs !== null && (atMs < fromMs || atMs > endMs + SECOND_MS))) {
    return notUnderstood(PLATFORM, 'activities of another time than asked for');
  }
  const isFull = rows.length >= PAGE_MAX;
  if (isFull && offset === 0 && endMs - fromMs > SECOND_MS) {
    return success([], { fromMs, lengthMs: roundUp((endMs - fromMs) / 2), offset: 0 });
  }
  const untilMs = Math.min(endMs, target.until.getTime());
  // The end of a slice is the beginning of the next one.
  const inSlice = activities.filter(
    ({ atMs }) => atMs === null || (atMs >= target.from.getTime() && atMs >= fromMs && atMs < untilMs),
  );
  // Activities of the same instant are probably listed newest first.
  const items = inSlice.toReversed().toSorted((a, b) => (a.atMs ?? fromMs) - (b.atMs ?? fromMs));
  const next: Slice | null = isFull
    ? { fromMs, lengthMs, offset: offset + PAGE_MAX }
    : endMs >= target.until.getTime()
      ? null
      : { fromMs: endMs, lengthMs: rows.length < FEW && offset === 0 ? 4 * lengthMs : lengthMs, offset: 0 };
  return success(
    items.map(({ item }) => item),
    next,
  );
}

function success(items: readonly HistoryItem[], next: Slice | null): HistoryAnswer {
  return { status: 'success', page: { items, next: next === null ? null : { ...next } } };
}

function readActivity(row: unknown): { item: HistoryItem; atMs: number | null } {
  if (typeof row !== 'object' || row === null) return { item: { refusal: 'no object' }, atMs: null };
  const { _id: id, createdAt } = { ...row } as Readonly<Record<string, unknown>>;
  const atMs = toInstant(createdAt)?.getTime() ?? null;
  const hasId = typeof id === 'string' && id !== '';
  return { item: hasId ? { body: row } : { refusal: 'no _id, by which posts are recognized' }, atMs };
}

function roundUp(ms: number): number {
  return Math.ceil(ms / SECOND_MS) * SECOND_MS;
}

function readCursor(cursor: object | null): Slice | null {
  if (cursor === null) return null;
  const { fromMs, lengthMs, offset } = { ...cursor } as Readonly<Record<string, unknown>>;
  if (typeof fromMs !== 'number' || typeof lengthMs !== 'number' || typeof offset !== 'number') return null;
  return { fromMs, lengthMs, offset };
}
