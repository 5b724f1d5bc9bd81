/** Converts answers between the wire and a cassette, in which the service's own address is a placeholder. */
import type { MockAnswer } from '../service/call.ts';
import type { RecordedAnswer } from './format.ts';
import { parseJson } from './recorded-request.ts';
import type { Redactor } from './redact.ts';

/** Stands for the address of the service. Nothing can be called by it. */
const PLACEHOLDER = 'https://upstream.invalid';

/** Headers that a client may need. Others, such as `Date` and rate limits, differ in every recording. */
const RECORDED_HEADERS: ReadonlySet<string> = new Set([
  'allow',
  'cache-control',
  'content-type',
  'deprecation',
  'link',
  'location',
  'retry-after',
  'sunset',
  'www-authenticate',
]);
const REQUEST_ID = /(^|-)request-id$/;

export function toRecordedAnswer(
  { status, headers, body }: MockAnswer,
  upstream: string,
  redactor: Redactor,
): RecordedAnswer {
  const toPlaceholder = (text: string) => replaceUrl(text, upstream, PLACEHOLDER);
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    // Every call has another id, and clients show it.
    if (REQUEST_ID.test(lower)) return [[lower, 'recorded'] as const];
    return RECORDED_HEADERS.has(lower) ? [[lower, redactor.text(toPlaceholder(value))] as const] : [];
  });
  const answer = { status, headers: Object.fromEntries(kept) };
  if (body === '') return answer;
  const text = toPlaceholder(body);
  const json = parseJson(text);
  return json === undefined ? { ...answer, text: redactor.text(text) } : { ...answer, json: redactor.json(json) };
}

export function toReplayedAnswer({ status, headers, json, text }: RecordedAnswer, baseUrl: string): MockAnswer {
  const toBaseUrl = (value: string) => replaceUrl(value, PLACEHOLDER, baseUrl);
  const body = toBaseUrl(json === undefined ? (text ?? '') : JSON.stringify(json));
  const all = Object.entries(headers).map(([name, value]) => [name, toBaseUrl(value)]);
  return { status, headers: Object.fromEntries(all), body };
}

/** Replaces a base URL, by both names of this machine, where it is not the beginning of another host or port. */
export function replaceUrl(text: string, url: string, replacement: string): string {
  return namesOf(url).reduce((replaced, name) => replaceOne(replaced, name, replacement), text);
}

/** A service on this machine may call itself `localhost` or by its address. */
function namesOf(url: string): readonly string[] {
  const [whole, scheme = '', rest = ''] = /^(https?:\/\/)(?:localhost|127\.0\.0\.1)(?![\w.-])(.*)$/.exec(url) ?? [];
  return whole === undefined ? [url] : ['localhost', '127.0.0.1'].map((name) => `${scheme}${name}${rest}`);
}

function replaceOne(text: string, url: string, replacement: string): string {
  return text.split(url).reduce((joined, part) => `${joined}${/^[\w-]|^[.:]\w/.test(part) ? url : replacement}${part}`);
}
