import { CrmFailure, RETRY, UNAVAILABLE } from '../http/http-failure.ts';
import { type CrmAnswer, createCrmHttp, type CrmHttpOptions } from '../http/http.ts';
import { createRedaction } from '../http/redaction.ts';
import type { CrmAccess, CrmQuotaReport } from '../port/types.ts';
import { readErrorBody, toFailure } from './errors.ts';

/** One authenticated call to HubSpot and the meaning of its answer. */

export interface HubspotClientOptions extends CrmHttpOptions {
  /** Without a trailing slash. */
  baseUrl: string;
}

export interface HubspotCall {
  /** Name for metrics. */
  operation: HubspotOperation;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path and query, already encoded. */
  path: string;
  body?: unknown;
  /** Names the written part in error messages, such as "the contact". */
  part: string;
  /** Statuses that are not failures. Default: 2xx. */
  accept?: readonly number[];
  /** See `CrmCall`. */
  bucket?: string;
}

export type HubspotOperation =
  | 'contacts_read'
  | 'contacts_upsert'
  | 'contacts_update'
  | 'engagements_upsert'
  | 'keys_search'
  | 'tasks_upsert'
  | 'deals_read'
  | 'deals_upsert'
  | 'associations_read'
  | 'lists_add'
  | 'companies_read'
  | 'companies_search'
  | 'companies_upsert'
  | 'associate'
  | 'pipelines'
  | 'properties'
  | 'owners'
  | 'lists'
  | 'access'
  | 'self_test';

/** Statuses that a refused item would have alone, by category. */
const ITEM_STATUSES: ReadonlyMap<string | null, number> = new Map([
  ['CONFLICT', 409],
  ['OBJECT_NOT_FOUND', 404],
]);

export interface HubspotAnswer {
  status: number;
  body: unknown;
}

export interface HubspotClient {
  /** @throws CrmFailure for every status that is not accepted, and when there is no answer. */
  call(call: HubspotCall): Promise<HubspotAnswer>;
  /** Returns the failure of a refused item in a batch. */
  itemFailure(part: string, item: unknown): CrmFailure;
}

/** The failure of an answer that does not say what was asked for. */
export function unexpected(part: string): CrmFailure {
  const message = `HubSpot's answer to ${part} has an unexpected form`;
  return new CrmFailure({ code: 'unexpected_answer', message, httpStatus: 200 }, RETRY);
}

export function createHubspotClient(
  options: HubspotClientOptions,
  access: CrmAccess,
  secrets: readonly string[],
): HubspotClient {
  const redact = createRedaction([access.accessToken, ...secrets]);
  const http = createCrmHttp(options, access, { vendor: 'HubSpot', readLimits });
  const headers = { Authorization: `Bearer ${access.accessToken}` };
  return {
    async call({ path, accept, ...call }) {
      const answer = await http.send({ ...call, url: `${options.baseUrl}${path}`, headers });
      const { status, body } = answer;
      const isSuccess = status >= 200 && status < 300;
      if (accept?.includes(status) || (isSuccess && body !== undefined)) return { status, body };
      if (isSuccess) {
        throw new CrmFailure(
          { code: 'unexpected_answer', message: `HubSpot's answer to ${call.part} is not JSON`, httpStatus: status },
          UNAVAILABLE,
        );
      }
      throw toFailure({
        part: call.part,
        httpStatus: status,
        headers: answer.headers,
        body: readErrorBody(body),
        nowMs: options.now().getTime(),
        redact,
      });
    },
    itemFailure(part, item) {
      const body = readErrorBody(item);
      const httpStatus = ITEM_STATUSES.get(body.category) ?? 400;
      return toFailure({ part, httpStatus, headers: new Headers(), body, nowMs: options.now().getTime(), redact });
    },
  };
}

function readLimits({ headers }: CrmAnswer): Omit<CrmQuotaReport, 'httpStatus'> {
  const number = (name: string) => {
    const text = headers.get(`x-hubspot-ratelimit-${name}`);
    return text === null || !/^\d{1,12}$/.test(text) ? null : Number(text);
  };
  const [remaining, resetMs, limit] = [number('remaining'), number('interval-milliseconds'), number('max')];
  const [dailyRemaining, dailyLimit] = [number('daily-remaining'), number('daily')];
  return {
    ...(remaining === null || resetMs === null
      ? {}
      : { window: { remaining, resetMs, ...(limit === null ? {} : { limit }) } }),
    ...(dailyRemaining === null
      ? {}
      : { daily: { remaining: dailyRemaining, ...(dailyLimit === null ? {} : { limit: dailyLimit }) } }),
  };
}
