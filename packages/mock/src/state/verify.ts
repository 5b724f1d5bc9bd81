/** Finds calls in the journal and verifies their number. */
import { entriesOf, type History } from './history.ts';
import type { JournalEntry, RouteId } from './traffic.ts';

/** Selects calls. Absent fields match any call. */
export interface CallFilter {
  /** `inbound` for posts to source URLs. */
  readonly operation?: RouteId;
  /** Name of the key that was used, not its token. */
  readonly keyName?: string;
  readonly method?: string;
  /** Without the query. */
  readonly path?: string;
  readonly status?: number;
  /** Query parameters that the call has, others are ignored. Values are texts. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Part of the JSON body: objects may have more fields, arrays and other values must be equal. */
  readonly body?: unknown;
  /** True: only calls that no route matched. */
  readonly isUnmatched?: boolean;
}

export interface Expectation extends CallFilter {
  /** Exact number of calls. Without `times`, `atLeast` and `atMost`: at least 1. */
  readonly times?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Verification {
  readonly ok: boolean;
  /** Says what was expected and what was found. */
  readonly message: string;
  readonly count: number;
  readonly calls: readonly JournalEntry[];
}

/** Returns the matching calls, oldest first. */
export function findCalls(journal: History<JournalEntry>, filter: CallFilter = {}): JournalEntry[] {
  return entriesOf(journal).filter((entry) => matchesCall(entry, filter));
}

/** Checks the number of matching calls. */
export function verifyCalls(journal: History<JournalEntry>, expectation: Expectation): Verification {
  const {
    times,
    atLeast = times === undefined && expectation.atMost === undefined ? 1 : undefined,
    atMost,
    ...filter
  } = expectation;
  const calls = findCalls(journal, filter);
  const count = calls.length;
  const ok =
    (times === undefined || count === times) &&
    (atLeast === undefined || count >= atLeast) &&
    (atMost === undefined || count <= atMost);
  const wanted = describeNumber({ times, atLeast, atMost });
  const head = `Expected ${wanted} of ${describeFilter(filter)}, found ${count}.`;
  return { ok, message: ok ? head : `${head}\n${describeNearestCalls(journal, filter)}`, count, calls };
}

function matchesCall(entry: JournalEntry, filter: CallFilter): boolean {
  return differencesOf(entry, filter).length === 0;
}

/** Describes how the call differs from the filter. */
function differencesOf(entry: JournalEntry, filter: CallFilter): string[] {
  const { operation, keyName, method, path, status, query = {}, body, isUnmatched } = filter;
  const differences: string[] = [];
  const compare = (name: string, wanted: unknown, was: unknown, isSame = wanted === undefined || wanted === was) => {
    if (!isSame) differences.push(`${name} was ${show(was)}, not ${show(wanted)}`);
  };
  compare('operation', operation, entry.operationId);
  compare('keyName', keyName, entry.keyName);
  compare('method', method?.toUpperCase(), entry.method);
  compare('path', path, entry.path);
  compare('status', status, entry.status);
  compare('isUnmatched', isUnmatched, entry.operationId === null);
  for (const [name, value] of Object.entries(query)) {
    const was = Object.hasOwn(entry.query, name) ? entry.query[name] : undefined;
    compare(`query.${name}`, value, was, isPartOf(value, was));
  }
  compare('body', body, entry.body, body === undefined || isPartOf(body, entry.body));
  return differences;
}

const SHOWN_LENGTH_MAX = 200;

function show(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}...` : text;
}

/** Returns whether `whole` has everything in `part`. */
export function isPartOf(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part)) {
    return Array.isArray(whole) && part.length === whole.length && part.every((item, at) => isPartOf(item, whole[at]));
  }
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false;
  const known = new Map<string, unknown>(Object.entries(whole));
  return Object.entries(part).every(([name, value]) => known.has(name) && isPartOf(value, known.get(name)));
}

function describeNumber({
  times,
  atLeast,
  atMost,
}: Record<'times' | 'atLeast' | 'atMost', number | undefined>): string {
  const parts = [
    ...(times === undefined ? [] : [`exactly ${times}`]),
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ];
  return `${parts.join(' and ')} call(s)`;
}

function describeFilter(filter: CallFilter): string {
  const parts = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${show(value)}`],
  );
  return parts.length === 0 ? 'any kind' : parts.join(', ');
}

const SHOWN_MAX = 10;
/** Calls of the expected operation rank before calls of others. */
const OTHER_OPERATION_DISTANCE = 1_000;

/** Lists the calls nearest to the expectation, nearest and newest first, with their differences. */
function describeNearestCalls(journal: History<JournalEntry>, filter: CallFilter): string {
  const ranked = entriesOf(journal)
    .map((entry) => {
      const differences = differencesOf(entry, filter);
      const isOther = filter.operation !== undefined && filter.operation !== entry.operationId;
      return { entry, differences, distance: differences.length + (isOther ? OTHER_OPERATION_DISTANCE : 0) };
    })
    .sort((a, b) => a.distance - b.distance || b.entry.id - a.entry.id);
  if (ranked.length === 0) return 'The mock got no calls: is the client configured with its address?';
  const lines = ranked.slice(0, SHOWN_MAX).map(({ entry, differences }) => {
    const why = differences.length === 0 ? '' : ` (${differences.join('; ')})`;
    return `  ${describeCall(entry)}${why}`;
  });
  const rest = ranked.length - lines.length;
  return ['The nearest calls:', ...lines, ...(rest > 0 ? [`  and ${rest} more`] : [])].join('\n');
}

/** Describes a call in one line, with the nearest route when none matched. */
function describeCall({ id, method, path, query, operationId, status, nearestRoute, hint }: JournalEntry): string {
  const search = Object.keys(query).length === 0 ? '' : ` ${JSON.stringify(query)}`;
  const end = status === null ? 'no answer' : `answered ${status}`;
  if (operationId !== null) {
    return `#${id} ${operationId} (${method} ${path}${search}) ${end}${hint === null ? '' : `: ${hint}`}`;
  }
  return `#${id} ${method} ${path}${search} ${end}: no such route, the nearest is ${nearestRoute}`;
}
