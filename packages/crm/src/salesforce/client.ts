import { asList, asObject, asText, chunks, type Fields } from '../http/answer-values.ts';
import { createCrmHttp, type CrmHttpOptions } from '../http/http.ts';
import { CrmFailure, NEVER, UNAVAILABLE } from '../http/http-failure.ts';
import { createRedaction } from '../http/redaction.ts';
import type { CrmAccess, CrmQuotaReport } from '../port/types.ts';
import { readProblem, type SalesforceProblem, toFailure } from './errors.ts';

/** Calls to the org of one connection, and the meaning of their answers. */

/** The names of the calls in metrics. */
export type SalesforceOperation =
  | 'access_check'
  | 'org_describe'
  | 'records_read'
  | 'people_create'
  | 'people_update'
  | 'accounts_create'
  | 'tasks_create'
  | 'deals_create'
  | 'members_write'
  | 'list_read'
  | 'setup_read'
  | 'setup_write'
  | 'self_test';

export interface SalesforceCall {
  operation: SalesforceOperation;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path and query below the version, already encoded. */
  path: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Names the written part in error messages, such as "the contact". */
  part: string;
}

export interface SalesforceQuery {
  soql: string;
  part: string;
}

/** A record to create or to update, with its type. */
export interface SalesforceRecord {
  type: string;
  /** Absent for a new record. */
  id?: string;
  values: Fields;
}

export type RecordResult =
  | { isWritten: true; id: string }
  | { isWritten: false; failure: CrmFailure; problem: SalesforceProblem };

export interface SalesforceClient {
  /** @throws CrmFailure for every answer but 2xx with JSON, and when there is no answer */
  call(call: SalesforceCall): Promise<unknown>;
  /** Runs queries in as few calls as possible; returns all rows of each. @throws CrmFailure */
  query(queries: readonly SalesforceQuery[], operation?: SalesforceOperation): Promise<Fields[][]>;
  /**
   * Writes records in calls of 200, all new or all known, and returns one result per record, in order. Records of a call
   * that is refused as a whole are written in ever smaller ones until the bad one stands alone.
   *
   * @throws CrmFailure for every failure that is no refusal
   */
  write(
    records: readonly SalesforceRecord[],
    call: { operation: SalesforceOperation; part: string; allowsDuplicates?: boolean },
  ): Promise<RecordResult[]>;
  /** Creates single records in as few calls as possible, because only these name what a duplicate rule has found. */
  createSingly(
    records: readonly SalesforceRecord[],
    call: { operation: SalesforceOperation; part: string },
  ): Promise<RecordResult[]>;
  /** Returns the failure of a refusal that an answer describes. */
  failureOf(part: string, httpStatus: number, problem: SalesforceProblem): CrmFailure;
}

/** Version of the API that the connector is written for. */
const VERSION_PATH = '/services/data/v66.0';
/** Queries in one composite call. */
const QUERIES_MAX = 5;
const PARTS_MAX = 25;
const COLLECTION_MAX = 200;
/** Pages of 2,000 rows that one query may have. */
const PAGES_MAX = 25;
/** Longest address that a gateway takes for certain is 8 kB with its headers. */
const URL_MAX_LENGTH = 6_000;
const NO_ADDRESS = 'The connection has no address of its Salesforce org. Connect Salesforce again.';

export interface SalesforceClientOptions extends CrmHttpOptions {
  access: CrmAccess;
  /** Values that no error may contain. */
  secrets: readonly string[];
}

/** @throws CrmFailure when the connection does not know the address of its org */
export function createSalesforceClient({ access, secrets, ...options }: SalesforceClientOptions): SalesforceClient {
  const { accessToken, apiUrl } = access;
  if (apiUrl === null) {
    throw new CrmFailure({ code: 'no_api_address', message: NO_ADDRESS, httpStatus: null }, NEVER);
  }
  const http = createCrmHttp(options, access, {
    vendor: 'Salesforce',
    readLimits: ({ headers }) => readLimits(headers),
  });
  const redact = createRedaction([accessToken, ...secrets]);

  function failureOf(part: string, httpStatus: number, problem: SalesforceProblem | null, headers?: Headers) {
    const nowMs = options.now().getTime();
    return toFailure({ part, httpStatus, problem, nowMs, redact, ...(headers === undefined ? {} : { headers }) });
  }

  async function send(call: SalesforceCall & { url: string }): Promise<unknown> {
    const { operation, method, url, body, headers, part } = call;
    const answer = await http.send({
      operation,
      method,
      url,
      headers: { Authorization: `Bearer ${accessToken}`, ...headers },
      ...(body === undefined ? {} : { body }),
      part,
    });
    const isSuccess = answer.status >= 200 && answer.status < 300;
    if (isSuccess && answer.body !== undefined) return answer.body;
    if (isSuccess) {
      const message = `Salesforce's answer to ${part} is not JSON`;
      throw new CrmFailure({ code: 'unexpected_answer', message, httpStatus: answer.status }, UNAVAILABLE);
    }
    const problem = answer.status === 300 ? null : readProblem(answer.body);
    throw failureOf(part, answer.status, problem, answer.headers);
  }

  const call = (sent: SalesforceCall) => send({ ...sent, url: `${apiUrl}${VERSION_PATH}${sent.path}` });

  async function composite(
    operation: SalesforceOperation,
    part: string,
    parts: readonly { method: string; path: string; body?: unknown }[],
  ): Promise<{ status: number; body: unknown }[]> {
    const compositeRequest = parts.map(({ method, path, body }, index) => ({
      method,
      url: `${VERSION_PATH}${path}`,
      referenceId: `part${index}`,
      ...(body === undefined ? {} : { body }),
    }));
    const body = { allOrNone: false, compositeRequest };
    const answer = asObject(await call({ operation, method: 'POST', path: '/composite', body, part }));
    const answers = new Map(
      asList(answer['compositeResponse']).map((item) => [asObject(item)['referenceId'], asObject(item)]),
    );
    return compositeRequest.map(({ referenceId }) => {
      const found = answers.get(referenceId);
      const status = found?.['httpStatusCode'];
      if (found === undefined || typeof status !== 'number') throw unexpectedForm(part);
      return { status, body: found['body'] };
    });
  }

  async function readRest(
    first: unknown,
    { part }: SalesforceQuery,
    operation: SalesforceOperation,
  ): Promise<Fields[]> {
    const rows: Fields[] = [];
    for (let page = asObject(first), count = 1; ; count += 1) {
      if (!Array.isArray(page['records'])) throw unexpectedForm(part);
      rows.push(...page['records'].map(asObject));
      const next = asText(page['nextRecordsUrl']);
      if (page['done'] !== false || next === null) return rows;
      if (count >= PAGES_MAX) throw tooManyRows(part);
      // The address comes from an answer: only the locator at its end is used.
      const locator = /\/query\/([\w-]{1,100})$/.exec(next)?.[1];
      if (locator === undefined) throw unexpectedForm(part);
      page = asObject(await call({ operation, method: 'GET', path: `/query/${locator}`, part }));
    }
  }

  async function write(
    records: readonly SalesforceRecord[],
    options_: { operation: SalesforceOperation; part: string; allowsDuplicates?: boolean },
  ): Promise<RecordResult[]> {
    // Salesforce takes at most 10 runs of records of one type in a call.
    const byType = [...Map.groupBy(records, ({ type }) => type).values()].flat();
    const results = new Map<SalesforceRecord, RecordResult>();
    for (const chunk of chunks(byType, COLLECTION_MAX)) {
      for (const [record, result] of await writeChunk(chunk, options_)) results.set(record, result);
    }
    return records.flatMap((record) => results.get(record) ?? []);
  }

  async function writeChunk(
    records: readonly SalesforceRecord[],
    options_: { operation: SalesforceOperation; part: string; allowsDuplicates?: boolean },
  ): Promise<(readonly [SalesforceRecord, RecordResult])[]> {
    const { operation, part, allowsDuplicates = false } = options_;
    const body = { allOrNone: false, records: records.map(toCollectionItem) };
    try {
      const answer = await call({
        operation,
        method: records[0]?.id === undefined ? 'POST' : 'PATCH',
        path: '/composite/sobjects',
        body,
        ...(allowsDuplicates ? { headers: { 'Sforce-Duplicate-Rule-Header': 'allowSave=true' } } : {}),
        part,
      });
      const results = asList(answer);
      if (results.length !== records.length) throw unexpectedForm(part);
      return records.map((record, index) => [record, toResult(part, 400, results[index])] as const);
    } catch (error) {
      if (!(error instanceof CrmFailure && error.isRefusal && error.error.httpStatus === 400)) throw error;
      const problem = { code: error.error.category ?? '', message: '', fields: [], duplicates: null };
      // Which fields the org has is the same for all records.
      if (records.length === 1 || problem.code === 'INVALID_FIELD')
        return records.map((record) => [record, { isWritten: false, failure: error, problem }] as const);
      const half = Math.ceil(records.length / 2);
      return [
        ...(await writeChunk(records.slice(0, half), options_)),
        ...(await writeChunk(records.slice(half), options_)),
      ];
    }
  }

  function toResult(part: string, httpStatus: number, value: unknown): RecordResult {
    const { success, id } = asObject(value);
    const written = asText(id);
    if (success === true && written !== null) return { isWritten: true, id: written };
    const problem = readProblem(value);
    if (problem === null) throw unexpectedForm(part);
    return { isWritten: false, problem, failure: failureOf(part, httpStatus, problem) };
  }

  return {
    call,
    write,
    failureOf,
    async query(queries, operation = 'records_read') {
      const results: Fields[][] = [];
      for (const group of chunks(queries, QUERIES_MAX)) {
        const paths = group.map(({ soql }) => `/query?q=${encodeURIComponent(soql)}`);
        const [only, ...others] = group;
        const [path = ''] = paths;
        if (only !== undefined && others.length === 0 && path.length <= URL_MAX_LENGTH) {
          const answer = await call({ operation, method: 'GET', path, part: only.part });
          results.push(await readRest(answer, only, operation));
          continue;
        }
        const part = group.map((query) => query.part).join(' and ');
        const answers = await composite(
          operation,
          part,
          paths.map((to) => ({ method: 'GET', path: to })),
        );
        for (const [index, query] of group.entries()) {
          const answer = answers[index];
          if (answer === undefined) throw unexpectedForm(query.part);
          if (answer.status !== 200) throw failureOf(query.part, answer.status, readProblem(answer.body));
          results.push(await readRest(answer.body, query, operation));
        }
      }
      return results;
    },
    async createSingly(records, { operation, part }) {
      const results: RecordResult[] = [];
      for (const group of chunks(records, PARTS_MAX)) {
        const parts = group.map(({ type, values }) => ({ method: 'POST', path: `/sobjects/${type}`, body: values }));
        const answers = await composite(operation, part, parts);
        results.push(...answers.map(({ status, body }) => toResult(part, status, body)));
      }
      return results;
    },
  };
}

function toCollectionItem({ type, id, values }: SalesforceRecord): unknown {
  // Salesforce refuses a record whose type is not named first.
  return { attributes: { type }, ...(id === undefined ? {} : { id }), ...values };
}

/** Reads `api-usage=73/15000`, which counts all apps of the org in the last 24 hours. */
function readLimits(headers: Headers): Omit<CrmQuotaReport, 'httpStatus'> {
  const [, used, limit] =
    /(?:^|[;,])\s*api-usage=(\d{1,12})\/(\d{1,12})/.exec(headers.get('sforce-limit-info') ?? '') ?? [];
  if (used === undefined || limit === undefined) return {};
  return { daily: { remaining: Math.max(0, Number(limit) - Number(used)), limit: Number(limit) } };
}

function tooManyRows(part: string): CrmFailure {
  const message = `Salesforce's answer to ${part} has more than ${PAGES_MAX} pages`;
  return new CrmFailure({ code: 'answer_too_large', message, httpStatus: 200 }, NEVER);
}

function unexpectedForm(part: string): CrmFailure {
  const message = `Salesforce's answer to ${part} has an unexpected form`;
  return new CrmFailure({ code: 'unexpected_answer', message, httpStatus: 200 }, UNAVAILABLE);
}
