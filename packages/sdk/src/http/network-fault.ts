import { NetworkError } from '../errors/errors.ts';
import type { Redact } from './redact.ts';

/**
 * Reading what runtimes throw when a request fails: a wrapper that says "fetch failed", the real fault some
 * causes deeper, and several faults at once where a name has several addresses.
 */

/** System calls that come before the first byte of a request leaves. */
const CALLS_BEFORE_SENDING: readonly unknown[] = ['connect', 'getaddrinfo'];
/** The same where a runtime does not name the system call. `ConnectionRefused` is Bun's own word. */
const CODES_BEFORE_SENDING: readonly unknown[] = ['UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused'];

/** Wrong certificates and wrong arguments are as wrong the next time. */
const LASTING_CODE = /CERT|LEAF_SIGNATURE|^ERR_INVALID|^ERR_SSL_WRONG|^UND_ERR_(INVALID|NOT_SUPPORTED)/;
/** What runtimes say when they say nothing: Node, Chrome, Safari, Firefox, Deno, Workers. */
const SAYS_NOTHING =
  /^(fetch failed|failed to fetch|load failed|networkerror when|error sending request|network connection lost|terminated)/i;

export interface NetworkFault {
  readonly code: string | null;
  readonly nothingSent: boolean;
  /** False for a fault that the next attempt would meet again, such as a wrong certificate. */
  readonly mayPass: boolean;
  readonly reason: string;
  readonly cause: unknown;
}

export function readNetworkFault(cause: unknown): NetworkFault {
  const chain = chainOf(cause);
  const code = chain.flatMap((fault) => ('code' in fault && typeof fault.code === 'string' ? [fault.code] : []))[0];
  const texts = chain.flatMap((fault) => (fault instanceof Error && fault.message ? [fault.message] : []));
  const reason = texts.at(-1) ?? code ?? String(cause);
  return {
    code: code ?? null,
    nothingSent: isBeforeSending(cause),
    mayPass: code === undefined ? SAYS_NOTHING.test(reason) : !LASTING_CODE.test(code),
    reason,
    cause,
  };
}

/** A code alone does not tell: a host can become unreachable before a request is sent and after it. */
function isBeforeSending(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 8) return false;
  if ('errors' in error && Array.isArray(error.errors)) {
    return error.errors.length > 0 && error.errors.every((fault) => isBeforeSending(fault, depth + 1));
  }
  if ('syscall' in error && error.syscall) return CALLS_BEFORE_SENDING.includes(error.syscall);
  if ('code' in error && CODES_BEFORE_SENDING.includes(error.code)) return true;
  return 'cause' in error && isBeforeSending(error.cause, depth + 1);
}

export function toNetworkError(fault: NetworkFault, target: string, attempts: number, redact: Redact): NetworkError {
  const texts = chainOf(fault.cause).map(String).join('\n');
  const details = { attempts, code: fault.code, nothingSent: fault.nothingSent };
  return new NetworkError(
    `Cannot reach ${target}: ${redact(fault.reason)}`,
    // A cause that repeats the key (a custom fetch may) cannot be passed on.
    redact(texts) === texts ? { ...details, cause: fault.cause } : details,
  );
}

function chainOf(error: unknown): object[] {
  const chain: object[] = [];
  for (let fault = error; typeof fault === 'object' && fault !== null && chain.length < 8; ) {
    chain.push(fault);
    if ('errors' in fault && Array.isArray(fault.errors)) fault = fault.errors[0];
    else fault = 'cause' in fault ? fault.cause : null;
  }
  return chain;
}
