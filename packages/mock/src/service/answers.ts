import { JSON_TYPE } from '@svc/contract/vocabulary';
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { ApiError, errorHeaders } from '@svc/domain/errors/errors';
import { memoize } from '../state/memoize.ts';
import type { MockAnswer, Reply } from './call.ts';

/** Converts a reply to the answer that is sent. HEAD gets the head of GET's answer. */
export function toAnswer(
  reply: Reply,
  {
    method,
    headers,
    successStatus,
  }: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly successStatus: number },
): MockAnswer {
  const status = reply.status ?? successStatus;
  const { body, contentType } = toText(reply);
  const all = { ...headers, ...reply.headers, ...(contentType === null ? {} : { 'Content-Type': contentType }) };
  if (method !== 'HEAD') return { status, headers: all, body };
  return { status, headers: { ...all, 'Content-Length': String(new TextEncoder().encode(body).length) }, body: '' };
}

function toText({ json, text }: Reply): { readonly body: string; readonly contentType: string | null } {
  if (text !== undefined) return text;
  return json === undefined ? { body: '', contentType: null } : { body: toJson(json), contentType: JSON_TYPE };
}

/** Returns `JSON.stringify(value)`, caching the text of each resource of a page. */
export function toJson(value: unknown): string {
  if (!isPage(value)) return JSON.stringify(value);
  const { data, ...rest } = value;
  return `{"data":[${data.map(textOf).join(',')}],${JSON.stringify(rest).slice(1)}`;
}

const textOf = memoize((resource: object) => JSON.stringify(resource));

interface PageOfObjects {
  readonly data: readonly object[];
  readonly hasMore: boolean;
}

function isPage(value: unknown): value is PageOfObjects {
  if (typeof value !== 'object' || value === null || !('data' in value && 'hasMore' in value)) return false;
  return Object.keys(value)[0] === 'data' && Array.isArray(value.data) && value.data.every(isObject);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Converts an error to an `ApiError`. Other errors are reported and become a 500 without their message. */
export function toApiError(error: unknown, reportError: (error: unknown) => void = () => {}): ApiError {
  if (error instanceof ApiError) return error;
  reportError(error);
  return new ApiError(500, OWN_MESSAGES.internalServerError);
}

export function toErrorReply(error: ApiError): Reply {
  return { status: error.statusCode, json: error.toBody(), headers: errorHeaders(error) };
}
