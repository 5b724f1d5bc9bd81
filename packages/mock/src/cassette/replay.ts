/** Answers requests from a cassette. */
import { distance } from 'fastest-levenshtein';
import type { MockAnswer, MockRequest } from '../service/call.ts';
import { HINT_HEADER } from '../service/hints.ts';
import { toReplayedAnswer } from './answers.ts';
import type { Cassette, RecordedAnswer, RecordedRequest } from './format.ts';
import { keyOf, toRecordedRequest, withoutIgnoredQuery } from './recorded-request.ts';
import { createRedactor } from './redact.ts';

export interface Replayer {
  readonly answer: (request: MockRequest) => MockAnswer;
  /** Messages of the requests without a recorded answer, each once. */
  readonly unmatched: () => readonly string[];
  /** Starts again with the first answer of every request. */
  readonly reset: () => void;
}

export interface ReplayerOptions {
  readonly cassette: Cassette;
  /** Query parameters that need not match, beside those that the cassette ignores. */
  readonly ignoreQuery: readonly string[];
  /** Address that answers show. */
  readonly baseUrl: () => string;
  /** Called with each new message of `unmatched`. */
  readonly onUnmatched?: (message: string) => void;
}

export function createReplayer(options: ReplayerOptions): Replayer {
  const { cassette, baseUrl, onUnmatched } = options;
  const ignoreQuery = [...cassette.ignoreQuery, ...options.ignoreQuery];
  const redactor = createRedactor({ redactEmails: cassette.redactEmails, keys: new Set() });
  const answersByKey = new Map<string, RecordedAnswer[]>();
  const requests = new Map<string, RecordedRequest>();
  for (const interaction of cassette.interactions) {
    const request = withoutIgnoredQuery(interaction.request, ignoreQuery);
    const key = keyOf(request);
    requests.set(key, request);
    answersByKey.set(key, [...(answersByKey.get(key) ?? []), interaction.answer]);
  }
  const counts = new Map<string, number>();
  const unmatched = new Set<string>();

  return {
    answer(received) {
      const request = toRecordedRequest(received, { redactor, ignoreQuery });
      const key = keyOf(request);
      const answers = answersByKey.get(key) ?? [];
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      const answer = answers[Math.min(count, answers.length - 1)];
      if (answer !== undefined) return toReplayedAnswer(answer, baseUrl());
      const message = describeMiss(request, [...requests.values()]);
      if (!unmatched.has(message)) {
        unmatched.add(message);
        onUnmatched?.(message);
      }
      return toMiss(message);
    },
    unmatched: () => [...unmatched],
    reset() {
      counts.clear();
      unmatched.clear();
    },
  };
}

/** 501, which no recorded answer has: a client does not mistake it for an answer of the service. */
function toMiss(message: string): MockAnswer {
  const body = JSON.stringify({ statusCode: 501, message, error: 'Not Implemented' });
  return {
    status: 501,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      [HINT_HEADER]: message.replaceAll(/[^ -~]/g, '?'),
    },
    body,
  };
}

function describeMiss(request: RecordedRequest, recorded: readonly RecordedRequest[]): string {
  const head = `The cassette has no answer for ${show(request)}.`;
  const nearest = findNearest(request, recorded);
  if (nearest === null) return `${head} It is empty.`;
  const differences = differencesOf(request, nearest);
  const moves = differences.length > 0 && differences.every(({ name }) => name === 'from' || name === 'to');
  const advice = moves ? ' To accept other times: --ignore-query from,to (createReplay: ignoreQuery).' : '';
  return `${head} The nearest recorded request is ${show(nearest)} (${differences.map(({ text }) => text).join('; ')}).${advice}`;
}

const COMPARED_LENGTH_MAX = 500;
/** More than any distance of texts. */
const OTHER_PATH_DISTANCE = 10_000;

function findNearest(request: RecordedRequest, recorded: readonly RecordedRequest[]): RecordedRequest | null {
  const sent = keyOf(request).slice(0, COMPARED_LENGTH_MAX);
  let nearest: RecordedRequest | null = null;
  let least = Infinity;
  for (const other of recorded) {
    const isSame = other.path === request.path && other.method === request.method;
    const far = distance(sent, keyOf(other).slice(0, COMPARED_LENGTH_MAX)) + (isSame ? 0 : OTHER_PATH_DISTANCE);
    if (far < least) [nearest, least] = [other, far];
  }
  return nearest;
}

interface Difference {
  readonly name: string;
  readonly text: string;
}

function differencesOf(sent: RecordedRequest, recorded: RecordedRequest): Difference[] {
  const differences: Difference[] = [];
  const compare = (name: string, label: string, a: unknown, b: unknown) => {
    if (JSON.stringify(a) === JSON.stringify(b)) return;
    differences.push({ name, text: `${label} was ${describe(a)}, recorded ${describe(b)}` });
  };
  compare('method', 'the method', sent.method, recorded.method);
  compare('path', 'the path', sent.path, recorded.path);
  const names = new Set([...Object.keys(sent.query ?? {}), ...Object.keys(recorded.query ?? {})]);
  for (const name of [...names].toSorted()) compare(name, name, sent.query?.[name], recorded.query?.[name]);
  compare('body', 'the body', sent.body, recorded.body);
  return differences;
}

const SHOWN_LENGTH_MAX = 200;

function describe(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}...` : text;
}

function show({ method, path, query = {} }: RecordedRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => `${name}=${each}`));
  return describe(`${method} ${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`);
}
