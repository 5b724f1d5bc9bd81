import { asList, asObject, asText } from '../http/answer-values.ts';
import { CrmFailure, UNAVAILABLE } from '../http/http-failure.ts';
import { type CrmAnswer, createCrmHttp, type CrmHttpOptions } from '../http/http.ts';
import { createRedaction } from '../http/redaction.ts';
import type { CrmAccess, CrmQuotaReport } from '../port/types.ts';
import { toFailure } from './errors.ts';

/** One authenticated call to Pipedrive and the meaning of its answer. */

export interface PipedriveClientOptions extends CrmHttpOptions {
  /** Host of connections that have none of their own, without a trailing slash. */
  baseUrl: string;
}

export interface PipedriveCall {
  /** Name for metrics. */
  operation: PipedriveOperation;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path and query, already encoded: `/api/v2/persons/7`. */
  path: string;
  /** Decides what the call costs. */
  kind: keyof typeof COSTS_V2;
  body?: unknown;
  /** Names the written part in error messages, such as "the person". */
  part: string;
  /** Statuses that are not failures. Default: 2xx. */
  accept?: readonly number[];
}

export type PipedriveOperation =
  | 'persons_search'
  | 'persons_read'
  | 'persons_write'
  | 'organizations_search'
  | 'organizations_read'
  | 'organizations_write'
  | 'activities_read'
  | 'activities_write'
  | 'notes_read'
  | 'notes_write'
  | 'fields'
  | 'deals_read'
  | 'deals_write'
  | 'pipelines'
  | 'users'
  | 'filters'
  | 'self_test';

export interface PipedriveAnswer {
  status: number;
  /** The envelope's `data`. */
  data: unknown;
  additionalData: unknown;
}

export interface PipedriveClient {
  /** @throws CrmFailure for every status that is not accepted, and when there is no answer. */
  call(call: PipedriveCall): Promise<PipedriveAnswer>;
}

/** Tokens per call, of a daily budget that all apps of the company share. */
const COSTS_V2 = { get: 1, list: 10, write: 5, delete: 3, search: 20 } as const;
const COSTS_V1 = { get: 2, list: 20, write: 10, delete: 6, search: 40 } as const;

export function createPipedriveClient(
  options: PipedriveClientOptions,
  access: CrmAccess,
  secrets: readonly string[],
): PipedriveClient {
  const { accessToken, tokenType, apiUrl } = access;
  const redact = createRedaction([accessToken, ...secrets]);
  const http = createCrmHttp(options, access, { vendor: 'Pipedrive', readLimits });
  const baseUrl = apiUrl ?? options.baseUrl;
  // A token in the URL would end in logs, and a personal one is refused as Bearer.
  const headers: Record<string, string> =
    tokenType === 'private' ? { 'x-api-token': accessToken } : { Authorization: `Bearer ${accessToken}` };
  return {
    async call({ path, kind, accept, ...call }) {
      const cost = (path.startsWith('/api/v2/') ? COSTS_V2 : COSTS_V1)[kind];
      const bucket = kind === 'search' ? { bucket: 'search' } : {};
      const answer = await http.send({ ...call, ...bucket, cost, url: `${baseUrl}${path}`, headers });
      const { success, data, additional_data: additionalData } = asObject(answer.body);
      const isSuccess = answer.status >= 200 && answer.status < 300;
      if (accept?.includes(answer.status) || (isSuccess && success === true)) {
        return { status: answer.status, data, additionalData };
      }
      if (isSuccess) throw unexpected(call.part, answer.status);
      throw toFailure(call.part, answer, { nowMs: options.now().getTime(), redact });
    },
  };
}

/** The failure of an answer that says neither what was asked for nor why it is refused. */
export function unexpected(part: string, httpStatus = 200): CrmFailure {
  const message = `Pipedrive's answer to ${part} has an unexpected form`;
  return new CrmFailure({ code: 'unexpected_answer', message, httpStatus }, UNAVAILABLE);
}

export function asId(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** Calls for the pages of a list of v2, and fails when Pipedrive sends a cursor again. */
export async function* readPages(
  client: PipedriveClient,
  call: Omit<PipedriveCall, 'method' | 'kind'>,
  start: string | null = null,
): AsyncGenerator<{ items: readonly unknown[]; cursor: string | null }> {
  const sent = new Set([start]);
  let cursor = start;
  do {
    const path = cursor === null ? call.path : `${call.path}&cursor=${encodeURIComponent(cursor)}`;
    const { data, additionalData } = await client.call({ ...call, path, method: 'GET', kind: 'list' });
    // An empty list can be null.
    if (data !== null && !Array.isArray(data)) throw unexpected(call.part);
    cursor = asText(asObject(additionalData)['next_cursor']);
    if (cursor !== null && sent.has(cursor)) throw unexpected(call.part);
    sent.add(cursor);
    yield { items: asList(data), cursor };
  } while (cursor !== null);
}

function readLimits({ headers }: CrmAnswer): Omit<CrmQuotaReport, 'httpStatus'> {
  const number = (name: string) => {
    const text = headers.get(name);
    return text === null || !/^\d{1,12}$/.test(text) ? null : Number(text);
  };
  const [remaining, reset, limit] = ['remaining', 'reset', 'limit'].map((name) => number(`x-ratelimit-${name}`));
  const [dayRemaining, dayLimit] = ['remaining', 'limit'].map((name) => number(`x-daily-ratelimit-token-${name}`));
  return {
    ...(remaining == null || reset == null
      ? {}
      : { window: { remaining, resetMs: reset * 1000, ...(limit == null ? {} : { limit }) } }),
    ...(dayRemaining == null
      ? {}
      : { daily: { remaining: dayRemaining, ...(dayLimit == null ? {} : { limit: dayLimit }) } }),
  };
}
