/** Calls the API and checks status, headers and body of every answer against the strict contract. */
import { type OperationId, operationById } from '@svc/contract/operations';
import { createResponseValidator } from '@svc/contract/strict';
import { expect } from 'vitest';
import type { ApiAddress } from './targets/target.ts';

type Value = string | number;

export interface Call {
  /** Values of the path's parameters, not percent-encoded. */
  params?: Readonly<Record<string, Value>>;
  /** An array is sent as a repeated parameter. */
  query?: Query;
  /** Null sends none. Default: the read key of the main account. */
  key?: string | null;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; text and bytes are sent as they are. Default: none. */
  body?: unknown;
  /** Content type of the body; null sends none. Default: `application/json`. */
  contentType?: string | null;
}

export type Query = Readonly<Record<string, Value | readonly Value[] | undefined>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; its shape was checked against the contract. */
  readonly json: ReturnType<typeof JSON.parse>;
}

export const DEFAULT_KEY = 'osapi_demo_read';

const problemsOf = createResponseValidator();

export async function callOperation(target: ApiAddress, operationId: OperationId, call: Call): Promise<Answer> {
  const { method, path } = operationById(operationId);
  const { params = {}, query = {}, key = DEFAULT_KEY } = call;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(params[name] ?? ''));
  const { headers, body } = toBody(call);
  const response = await target.fetch(`${target.baseUrl}${filled}${toSearch(query)}`, {
    method,
    headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers, ...call.headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const answer = {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
  const problems = problemsOf(operationId, answer.status, answer.headers, answer.json ?? answer.text);
  expect(problems, `${operationId} ${toSearch(query)} answered ${answer.status} ${text.slice(0, 300)}`).toEqual([]);
  return answer;
}

/** Converts the body to bytes, so that `fetch` adds no content type. */
function toBody({ body, contentType = 'application/json' }: Call): {
  headers: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
} {
  if (body === undefined) return { headers: {} };
  const bytes = body instanceof Uint8Array ? body : new TextEncoder().encode(toText(body));
  return { headers: contentType === null ? {} : { 'content-type': contentType }, body: new Uint8Array(bytes) };
}

function toText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function toSearch(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const values = typeof value === 'object' ? value : [value];
    for (const each of values) search.append(name, String(each));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
