import { CrmFailure, RETRY, UNAVAILABLE } from '../http-failure.ts';
import { readErrorBody, toFailure } from './errors.ts';

/** One authenticated call to HubSpot and the meaning of its answer. */

export interface HubspotClientOptions {
  fetch: typeof globalThis.fetch;
  baseUrl: string;
  /** Timeout of one call, from its start to the last byte of its answer. */
  timeoutMs: number;
  now: () => Date;
  signal: AbortSignal | undefined;
}

export interface HubspotCall {
  method: 'GET' | 'POST' | 'PUT';
  /** Path and query, already encoded. */
  path: string;
  body?: unknown;
  /** Names the written part in error messages, such as "the contact". */
  part: string;
  /** Statuses that are not failures. Default: 2xx. */
  accept?: readonly number[];
}

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

/** Normal answers have a few kB. */
const ANSWER_MAX_BYTES = 2 * 1024 * 1024;
/** Shorter values are words such as "Lead" that HubSpot's own text may contain. */
const REDACTED_MIN_LENGTH = 4;

export function createHubspotClient(
  options: HubspotClientOptions,
  accessToken: string,
  secrets: readonly string[],
): HubspotClient {
  const hidden = [accessToken, ...secrets]
    .filter((text) => text.length >= REDACTED_MIN_LENGTH)
    .toSorted((a, b) => b.length - a.length);
  const redact = (text: string) =>
    hidden.reduce((result, secret) => replaceAnyCase(result, secret), text.slice(0, 4_000));

  async function send({ method, path, body, part }: HubspotCall): Promise<{ response: Response; text: string }> {
    const timeout = AbortSignal.timeout(options.timeoutMs);
    const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
    try {
      const response = await options.fetch(`${options.baseUrl}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${accessToken}`,
          Accept: 'application/json',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // Following a redirect could send the token to another host.
        redirect: 'manual',
        signal,
      });
      return { response, text: await readText(response) };
    } catch (error) {
      throw noAnswer(part, error, { isTimeout: timeout.aborted, isAborted: options.signal?.aborted === true });
    }
  }

  return {
    async call(call) {
      const { response, text } = await send(call);
      const { status, headers } = response;
      const body = parseJson(text);
      if (call.accept?.includes(status) || (status >= 200 && status < 300 && body !== undefined))
        return { status, body };
      if (status >= 200 && status < 300) {
        throw new CrmFailure(
          { code: 'unexpected_answer', message: `HubSpot's answer to ${call.part} is not JSON`, httpStatus: status },
          UNAVAILABLE,
        );
      }
      throw toFailure({
        part: call.part,
        httpStatus: status,
        headers,
        body: readErrorBody(body),
        nowMs: options.now().getTime(),
        redact,
      });
    },
    itemFailure(part, item) {
      const body = readErrorBody(item);
      const httpStatus = body.category === 'CONFLICT' ? 409 : 400;
      return toFailure({ part, httpStatus, headers: new Headers(), body, nowMs: options.now().getTime(), redact });
    },
  };
}

function noAnswer(
  part: string,
  error: unknown,
  { isTimeout, isAborted }: { isTimeout: boolean; isAborted: boolean },
): CrmFailure {
  const code = isAborted ? 'aborted' : isTimeout ? 'timeout' : 'network';
  const cause =
    error instanceof Error && error.cause instanceof Error && 'code' in error.cause
      ? ` (${String(error.cause.code)})`
      : '';
  const message = isAborted
    ? `stopped before HubSpot answered to ${part}`
    : isTimeout
      ? `HubSpot did not answer in time to ${part}`
      : `HubSpot could not be reached for ${part}${cause}`;
  // An aborted call says nothing about HubSpot: this process stops.
  return new CrmFailure({ code, message, httpStatus: null }, isAborted ? RETRY : UNAVAILABLE);
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > ANSWER_MAX_BYTES) throw new Error('answer too large');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Returns `undefined` for anything but JSON, such as a gateway's HTML page. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Ignores case, because HubSpot repeats values in lower case. */
function replaceAnyCase(text: string, secret: string): string {
  const lower = text.toLowerCase();
  const wanted = secret.toLowerCase();
  // A few letters have a longer lower-case form, which would shift positions.
  if (lower.length !== text.length) return text.replaceAll(secret, '[…]');
  let result = '';
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    result += `${text.slice(from, at)}[…]`;
    from = at + wanted.length;
  }
  return result + text.slice(from);
}
