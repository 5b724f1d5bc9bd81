import { AnswerTooLargeError, readAnswerText } from '../http/answer-text.ts';
import { parseRetryAfterMs } from '@svc/domain/network/retry-after';
import type { CrmError } from '../port/types.ts';
import type { OauthClient, OauthDialect, OauthTokens, TokenOutcome } from './types.ts';

/** One request to a token endpoint. Neither tokens nor texts of the vendor get into errors: they may repeat tokens. */

export interface TokenRequestOptions {
  fetch: typeof globalThis.fetch;
  now: () => Date;
  /** Timeout in ms, from the start to the last byte of the answer. */
  timeoutMs: number;
}

/** Token answers have a few kB. */
const ANSWER_MAX_BYTES = 256 * 1024;

/** Failures before anything was sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

export type FormAnswer =
  | { status: 'answered'; httpStatus: number; headers: Headers; body: Readonly<Record<string, unknown>> | null }
  | { status: 'no-answer'; error: CrmError; isAnswerLost: boolean };

/** Posts a form with the client's proof. `body` is null when the answer is not a JSON object. */
export async function postForm(
  { fetch, timeoutMs }: TokenRequestOptions,
  { vendor, clientProof }: Pick<OauthDialect, 'vendor' | 'clientProof'>,
  request: { url: string; client: OauthClient | null; form: Readonly<Record<string, string>> },
): Promise<FormAnswer> {
  const { url, client } = request;
  const form = new URLSearchParams(request.form);
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (client !== null && clientProof === 'basic') {
    headers['Authorization'] = `Basic ${btoa(`${client.id}:${client.secret}`)}`;
  } else if (client !== null) {
    form.set('client_id', client.id);
    form.set('client_secret', client.secret);
  }
  return exchange({ fetch, timeoutMs }, vendor, url, { method: 'POST', headers, body: form });
}

/** Gets a JSON object with an access token. */
export function getObject(
  options: TokenRequestOptions,
  { vendor }: Pick<OauthDialect, 'vendor'>,
  { url, accessToken }: { url: string; accessToken: string },
): Promise<FormAnswer> {
  return exchange(options, vendor, url, {
    headers: { Accept: 'application/json', Authorization: `Bearer ${accessToken}` },
  });
}

async function exchange(
  { fetch, timeoutMs }: Pick<TokenRequestOptions, 'fetch' | 'timeoutMs'>,
  vendor: string,
  url: string,
  init: RequestInit,
): Promise<FormAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    // Following a redirect could send the secrets to another host.
    const response = await fetch(url, { ...init, redirect: 'manual', signal: timeout });
    const text = await readAnswerText(response, ANSWER_MAX_BYTES);
    return { status: 'answered', httpStatus: response.status, headers: response.headers, body: parseObject(text) };
  } catch (error) {
    const code = causeOf(error);
    const isTooLarge = error instanceof AnswerTooLargeError;
    const reason = isTooLarge
      ? `sent ${error.message}`
      : timeout.aborted
        ? 'did not answer in time'
        : 'could not be reached';
    return {
      status: 'no-answer',
      error: {
        code: isTooLarge ? 'answer_too_large' : timeout.aborted ? 'timeout' : 'network',
        message: `${vendor} ${reason} for an access token${code === null ? '' : ` (${code})`}`,
        httpStatus: null,
      },
      isAnswerLost: code === null || !NOT_SENT.has(code),
    };
  }
}

/** Requests tokens. */
export async function requestTokens(
  options: TokenRequestOptions,
  dialect: OauthDialect,
  request: { url: string; client: OauthClient | null; form: Readonly<Record<string, string>> },
): Promise<TokenOutcome> {
  const answer = await postForm(options, dialect, request);
  if (answer.status === 'no-answer') {
    return { status: 'unavailable', error: answer.error, isAnswerLost: answer.isAnswerLost, retryAfterMs: null };
  }
  const { httpStatus, headers, body } = answer;
  const { vendor } = dialect;
  if (httpStatus >= 200 && httpStatus < 300) {
    const tokens = body === null ? null : readTokens(dialect, body);
    if (tokens !== null) return { status: 'granted', tokens };
    const message = `${vendor}'s answer has no access token`;
    const error = { code: 'unexpected_answer', message, httpStatus };
    return { status: 'unavailable', error, isAnswerLost: true, retryAfterMs: null };
  }
  const isTemporary = httpStatus < 400 || httpStatus >= 500 || httpStatus === 408 || httpStatus === 429;
  const texts = { error: textOf(body?.['error']), details: detailsOf(body ?? {}) };
  const meaning =
    isTemporary || body === null
      ? 'unavailable'
      : dialect.meaningOf(texts, request.form['refresh_token'] !== undefined);
  const error: CrmError = {
    code: meaning === 'unavailable' ? 'unavailable' : meaning === 'ended' ? 'disconnected' : 'token_refused',
    message: `${vendor} ${MEANINGS[meaning]} (status ${httpStatus}${nameOf(texts.error)})`,
    httpStatus,
  };
  if (meaning !== 'unavailable') return { status: meaning, error };
  const retryAfterMs = parseRetryAfterMs(headers.get('retry-after'), options.now().getTime());
  return { status: 'unavailable', error, isAnswerLost: false, retryAfterMs };
}

const MEANINGS = {
  ended: 'does not accept this access, or has ended it',
  busy: 'is still answering another request for an access token',
  refused: 'refuses the app or its request for an access token',
  unavailable: 'gave no usable answer to a request for an access token',
} as const;

function readTokens(dialect: OauthDialect, body: Readonly<Record<string, unknown>>): OauthTokens | null {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = body;
  if (typeof accessToken !== 'string' || accessToken === '') return null;
  const apiUrl = dialect.apiUrlField === null ? null : textOf(body[dialect.apiUrlField]).replace(/\/+$/, '');
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : null,
    expiresInSeconds: typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn : null,
    apiUrl: apiUrl === '' ? null : apiUrl,
    scopes: readScopes(body, dialect.scopeSeparator),
    organizationId: dialect.readOrganizationId(body),
  };
}

/** Reads the granted scopes: a list under `scopes` (HubSpot), or the standard's text. Null when the answer names none. */
export function readScopes(
  { scopes, scope }: Readonly<Record<string, unknown>>,
  separator: string,
): readonly string[] | null {
  if (Array.isArray(scopes)) return scopes.filter((name) => typeof name === 'string');
  if (typeof scope !== 'string') return null;
  return scope
    .split(separator)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function detailsOf(body: Readonly<Record<string, unknown>>): string {
  return ['error', 'error_description', 'message', 'status', 'category', 'subCategory']
    .map((field) => textOf(body[field]))
    .join(' ')
    .toLowerCase();
}

/** Only a name of the standard's form is repeated: other text may contain what was sent. */
function nameOf(error: string): string {
  return /^[a-z_]{1,40}$/.test(error) ? `, ${error}` : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 2_000) : '';
}

function causeOf(error: unknown): string | null {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : null;
  } catch {
    return null;
  }
}
