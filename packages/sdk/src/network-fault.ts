import { NetworkError } from './errors.ts';
import type { Redact } from './redact.ts';

/**
 * Reading what runtimes throw when a request fails: a wrapper that says "fetch failed", the real fault some
 * causes deeper, and several faults at once where a name has several addresses.
 */

/** Codes of faults that come before the first byte of a request leaves. */
const NOTHING_SENT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
  // Bun names the refusal in a word of its own.
  'ConnectionRefused',
]);

export interface NetworkFault {
  readonly code: string | null;
  readonly nothingSent: boolean;
  readonly reason: string;
  readonly cause: unknown;
}

export function readNetworkFault(cause: unknown): NetworkFault {
  const chain = chainOf(cause);
  const code = chain.flatMap((fault) => ('code' in fault && typeof fault.code === 'string' ? [fault.code] : []))[0];
  const texts = chain.flatMap((fault) => (fault instanceof Error && fault.message ? [fault.message] : []));
  return {
    code: code ?? null,
    nothingSent: code !== undefined && NOTHING_SENT_CODES.has(code),
    reason: texts.at(-1) ?? code ?? String(cause),
    cause,
  };
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
