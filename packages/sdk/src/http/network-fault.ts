import { NetworkError } from '../errors/errors.ts';
import type { Redact } from './redact.ts';

/** System calls that happen before the first byte of a request is sent. */
const CALLS_BEFORE_SENDING: readonly unknown[] = ['connect', 'getaddrinfo'];
/** Codes with the same meaning, from runtimes that do not name the system call. `ConnectionRefused` is Bun's. */
const CODES_BEFORE_SENDING: readonly unknown[] = ['UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused'];

/** Codes of wrong certificates and wrong arguments, with which a retry would fail in the same way. */
const PERMANENT_CODE = /CERT|LEAF_SIGNATURE|^ERR_INVALID|^ERR_SSL_WRONG|^UND_ERR_(INVALID|NOT_SUPPORTED)/;
/** Generic messages of Node, Chrome, Safari, Firefox, Deno and Workers, which do not name the fault. */
const GENERIC_MESSAGE =
  /^(fetch failed|failed to fetch|load failed|networkerror when|error sending request|network connection lost|terminated)/i;

export interface NetworkFault {
  readonly code: string | null;
  readonly nothingSent: boolean;
  /** False if a retry would fail in the same way, such as with a wrong certificate. */
  readonly mayPass: boolean;
  readonly reason: string;
  readonly cause: unknown;
}

/**
 * Reads the error of a failed request. Runtimes often throw a wrapper that says "fetch failed", with the real fault some causes
 * deeper, and several faults at once when a host has several addresses.
 */
export function readNetworkFault(cause: unknown): NetworkFault {
  const chain = chainOf(cause);
  const code = chain.flatMap((fault) => ('code' in fault && typeof fault.code === 'string' ? [fault.code] : []))[0];
  const texts = chain.flatMap((fault) => (fault instanceof Error && fault.message ? [fault.message] : []));
  const reason = texts.at(-1) ?? code ?? String(cause);
  return {
    code: code ?? null,
    nothingSent: isBeforeSending(cause),
    mayPass: code === undefined ? GENERIC_MESSAGE.test(reason) : !PERMANENT_CODE.test(code),
    reason,
    cause,
  };
}

/** Prefers the system call to the code: a host can become unreachable before a request is sent or after it. */
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
    // A cause may contain the key, for example the cause of an error of a custom fetch; such a cause is left out.
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
