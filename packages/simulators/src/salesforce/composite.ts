import type { Answer } from '../http/answer.ts';
import { Refusal } from './refusal.ts';

/** `/composite`: several calls in one, in order. References between them are not simulated. */

const PARTS_MAX = 25;
/** Queries and collections among them. */
const BULK_PARTS_MAX = 5;
const METHODS = new Set(['GET', 'POST', 'PATCH', 'DELETE']);

export interface CompositePart {
  method: string;
  url: URL;
  body: unknown;
  headers: Readonly<Record<string, string>>;
}

export function answerComposite(
  body: unknown,
  answerPart: (part: CompositePart) => Answer,
  urlMaxLength = Number.POSITIVE_INFINITY,
): Answer {
  const { allOrNone = false, compositeRequest } = asFields(body);
  if (allOrNone === true) throw new Refusal(400, 'INVALID_OPERATION', 'the simulator has no transactions');
  if (!Array.isArray(compositeRequest) || compositeRequest.length === 0)
    throw new Refusal(400, 'INVALID_ARGUMENT', 'compositeRequest must not be empty');
  if (compositeRequest.length > PARTS_MAX)
    throw new Refusal(400, 'INVALID_ARGUMENT', `Cannot have more than ${PARTS_MAX} subrequests`);
  const parts = compositeRequest.map(readPart);
  if (new Set(parts.map(({ referenceId }) => referenceId)).size < parts.length)
    throw new Refusal(400, 'INVALID_ARGUMENT', 'Duplicate referenceId');
  if (parts.some(({ url }) => url.href.length > urlMaxLength))
    throw new Refusal(414, 'URI_TOO_LONG', 'the address of a subrequest is too long');
  const bulk = parts.filter(({ url }) => /\/v\d+\.0\/(?:query|composite\/sobjects)/.test(url.pathname));
  if (bulk.length > BULK_PARTS_MAX)
    throw new Refusal(400, 'INVALID_ARGUMENT', `Cannot have more than ${BULK_PARTS_MAX} queries and collections`);
  const compositeResponse = parts.map(({ referenceId, ...part }) => {
    const { status, body: partBody = null } = answerPart(part);
    return { body: partBody, httpHeaders: {}, httpStatusCode: status, referenceId };
  });
  return { status: 200, body: { compositeResponse } };
}

function readPart(value: unknown): CompositePart & { referenceId: string } {
  const { method, url, referenceId, body, httpHeaders } = asFields(value);
  if (typeof method !== 'string' || !METHODS.has(method))
    throw new Refusal(400, 'INVALID_ARGUMENT', 'a subrequest needs a method');
  if (typeof url !== 'string' || !url.startsWith('/services/data/v'))
    throw new Refusal(400, 'INVALID_ARGUMENT', 'a subrequest needs the url of a resource');
  if (typeof referenceId !== 'string' || !/^[a-zA-Z]\w*$/.test(referenceId))
    throw new Refusal(400, 'INVALID_ARGUMENT', 'a subrequest needs a referenceId of letters and digits');
  const headers = Object.entries(asFields(httpHeaders)).map(([name, text]) => [name.toLowerCase(), String(text)]);
  return { method, url: new URL(url, 'http://127.0.0.1'), body, headers: Object.fromEntries(headers), referenceId };
}

function asFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
