import { ERROR_MESSAGES, RESYNC_IN_PROGRESS } from '@svc/contract/error-messages';
import {
  AbortError,
  ApiError,
  ConfigurationError,
  InvalidResponseError,
  NetworkError,
  PaginationError,
  SvcError,
  TimeoutError,
} from '@svc/sdk';
import { type Credentials, NO_KEY_HINT } from '../config/credentials.ts';
import { CliError, FailureWithHint } from '../errors/cli-error.ts';
import { readProxyEnvironment } from '../config/environment.ts';
import { EXIT_CODES, type ExitCode } from '../errors/exit-codes.ts';
import { describeProxy, proxyFor } from '../config/proxy.ts';

/** A failure as it is printed, in text or JSON. */
export interface ErrorReport {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly status: number | null;
  readonly message: string;
  readonly requestId: string | null;
  /** How to fix it. */
  readonly hint: string | null;
  /** Whether the same command may succeed later. */
  readonly retryable: boolean;
}

/** Maps every error to an exit code and a message. */
export function toErrorReport(error: unknown, credentials: Credentials | null = null): ErrorReport {
  if (error instanceof FailureWithHint) {
    const cause = toErrorReport(error.cause, credentials);
    return { ...cause, hint: cause.hint === null ? error.hint : `${cause.hint}\n${error.hint}` };
  }
  const report = { status: null, requestId: null, hint: null, retryable: false };
  const message = messageOf(error);
  if (error instanceof CliError) {
    return { ...report, exitCode: error.exitCode, code: error.code, message, hint: error.hint };
  }
  if (error instanceof InvalidResponseError) {
    const { status, requestId } = error;
    const hint = credentials && `The base URL is ${credentials.baseUrl}, from ${credentials.baseUrlSource}.`;
    return { ...report, exitCode: EXIT_CODES.unexpected, code: 'invalid_response', status, message, requestId, hint };
  }
  if (error instanceof ApiError) return reportApiError(error, credentials);
  if (error instanceof NetworkError || error instanceof TimeoutError) {
    const code = error instanceof TimeoutError ? 'timeout' : 'network';
    const explained = credentials === null ? { message } : explainUnreachable(message, credentials);
    return { ...report, exitCode: EXIT_CODES.unavailable, code, retryable: true, ...explained };
  }
  if (error instanceof AbortError) return { ...report, exitCode: EXIT_CODES.interrupted, code: 'interrupted', message };
  if (error instanceof ConfigurationError) {
    const hint = credentials?.keySource ? `The key comes from ${credentials.keySource}.` : null;
    return { ...report, exitCode: EXIT_CODES.usage, code: 'usage', message, hint };
  }
  if (error instanceof SvcError) {
    const code = error instanceof PaginationError ? 'pagination' : 'unexpected';
    return { ...report, exitCode: EXIT_CODES.unexpected, code, message };
  }
  return { ...report, exitCode: EXIT_CODES.unexpected, code: systemCode(error) ?? 'unexpected', message };
}

const BY_STATUS: Record<number, { exitCode: ExitCode; code: string }> = {
  400: { exitCode: EXIT_CODES.usage, code: 'bad_request' },
  401: { exitCode: EXIT_CODES.notAuthenticated, code: 'not_authenticated' },
  403: { exitCode: EXIT_CODES.forbidden, code: 'forbidden' },
  404: { exitCode: EXIT_CODES.notFound, code: 'not_found' },
  409: { exitCode: EXIT_CODES.conflict, code: 'conflict' },
  429: { exitCode: EXIT_CODES.rateLimited, code: 'rate_limited' },
};

function reportApiError(error: ApiError, credentials: Credentials | null): ErrorReport {
  const { status, message, requestId } = error;
  const known = BY_STATUS[status];
  const isServerFault = status >= 500 || status === 408;
  return {
    ...(known ?? {
      exitCode: isServerFault ? EXIT_CODES.unavailable : EXIT_CODES.unexpected,
      code: isServerFault ? 'server_error' : 'unexpected_status',
    }),
    status,
    message,
    requestId,
    hint: hintOf(error, credentials),
    retryable: isServerFault || status === 429,
  };
}

export const RESYNC_IN_PROGRESS_HINT = 'Add --wait to wait for it, or --skip-in-progress to skip it.';

const CONFLICT_HINTS: Readonly<Record<string, string>> = {
  [RESYNC_IN_PROGRESS]: RESYNC_IN_PROGRESS_HINT,
  [ERROR_MESSAGES.syncNotEligibleForRetry]:
    'Only syncs with the status error can be retried, while their source and connection exist. `svc syncs explain ID` shows what happened to the event.',
};

function hintOf(error: ApiError, credentials: Credentials | null): string | null {
  switch (error.status) {
    case 401:
      return credentials?.keySource
        ? `The key comes from ${credentials.keySource} and was sent to ${credentials.baseUrl}.${loginHint(credentials.keySource)}`
        : NO_KEY_HINT;
    case 403:
      return `${missingPermission(error.message)}\`svc whoami\` shows what the key may do.`;
    case 409:
      return CONFLICT_HINTS[error.message] ?? null;
    case 429:
      return error.retryAfterSeconds === null ? null : `Try again in ${error.retryAfterSeconds} s.`;
    default:
      return null;
  }
}

/** Says how to replace the key of a profile. */
function loginHint(keySource: string): string {
  const profile = /^profile (.+?)(?: \(|$)/.exec(keySource)?.[1];
  return profile === undefined ? '' : ` \`svc login --profile ${profile}\` stores another.`;
}

/** Says which permission the key lacks, derived from the service's messages (`ERROR_MESSAGES` of the contract). */
function missingPermission(message: string): string {
  if (/\bwrite\b/.test(message)) {
    return 'The key lacks the scope write. On your own server `svc-server keys create --account ID --name NAME --scope write` makes one that has it; otherwise ask support. ';
  }
  if (/account-scoped/.test(message)) {
    return 'The key is for one connection only, but webhooks belong to the account. `svc events list` works with this key. ';
  }
  return /not enabled/.test(message) ? 'Another key does not help: the feature must be enabled for the account. ' : '';
}

/** What OpenSSL says when the answer to its greeting is not TLS. */
export const NOT_TLS = /wrong.version.number|packet.length.too.long/i;
/** What a client without TLS sees when the port expects TLS. */
const MAY_BE_TLS = /socket hang up|ECONNRESET|Parse Error/;

function explainUnreachable(message: string, credentials: Credentials): { message: string; hint: string } {
  const { baseUrl, baseUrlSource } = credentials;
  const source = `The address comes from ${baseUrlSource}.`;
  if (baseUrl.startsWith('https:') && NOT_TLS.test(message)) {
    return {
      message: `Cannot reach ${baseUrl}: the server speaks http on this port, not https`,
      hint: `Use ${baseUrl.replace(/^https/, 'http')}. ${source}`,
    };
  }
  const isMaybeTls = baseUrl.startsWith('http:') && MAY_BE_TLS.test(message);
  const tlsHint = isMaybeTls
    ? ` If the server speaks https on this port, use ${baseUrl.replace(/^http/, 'https')}.`
    : '';
  return { message, hint: `Is the service running at ${baseUrl}? ${source}${tlsHint}${proxyHint(credentials)}` };
}

function proxyHint({ baseUrl }: Credentials): string {
  const proxy = proxyFor(baseUrl, readProxyEnvironment());
  return proxy === null ? '' : ` Calls go through the proxy ${describeProxy(proxy)}.`;
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** The failure of one of several items, as `--json` prints it. */
export type ErrorSummary = Pick<ErrorReport, 'code' | 'status' | 'message' | 'requestId' | 'retryable'>;

export const ERROR_SUMMARY_FIELDS = ['code', 'status', 'message', 'requestId', 'retryable'] as const;

export function summarizeError({ code, status, message, requestId, retryable }: ErrorReport): ErrorSummary {
  return { code, status, message, requestId, retryable };
}
