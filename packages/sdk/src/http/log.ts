/**
 * Log lines about requests, loaded only when they are wanted. They hold method, path, status, times and request id, and never the
 * query (which may hold personal data), a body or a key.
 */
import type { AttemptOutcome } from './retry-timing.ts';
import type { Hooks, RequestInfo, WaitInfo } from './send-with-retries.ts';

/** The methods that a logger must have. `console`, pino and winston have them. */
export interface Logger {
  debug(line: string): void;
  info(line: string): void;
  warn(line: string): void;
}

/**
 * How much is logged. Each level includes the ones below it.
 *
 * - `debug`: every attempt before it is sent
 * - `info`: every answer
 * - `warn`: failed attempts that are retried, and waits for a rate limit
 * - `off`: nothing
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'off';

const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'off'] satisfies LogLevel[];

export interface LogOptions {
  readonly logger?: Logger | undefined;
  /** As given by the caller or the environment. An unknown level counts as `info`. */
  readonly level: string;
}

/** Returns hooks that write a line and then call the caller's hooks. */
export function createLogHooks(hooks: Hooks, { logger = console, level }: LogOptions): Hooks {
  const least = LEVELS.indexOf(LEVELS.includes(level) ? level : 'info');
  const write = (at: Exclude<LogLevel, 'off'>, line: string) => {
    if (LEVELS.indexOf(at) >= least) logger[at](`svc: ${line}`);
  };
  return {
    onRequest(info) {
      write('debug', `${nameOf(info)} (attempt ${info.attempt})`);
      hooks.onRequest?.(info);
    },
    onResponse(info) {
      const id = info.requestId === null ? '' : `, request ${info.requestId}`;
      write('info', `${nameOf(info)} answered ${info.status} in ${Math.round(info.durationMs)} ms${id}`);
      hooks.onResponse?.(info);
    },
    onRetry(info) {
      write('warn', `${nameOf(info)} failed (${reasonOf(info.reason)}), retrying in ${info.delayMs} ms`);
      hooks.onRetry?.(info);
    },
    onWait(info) {
      write('warn', describeWait(info));
      hooks.onWait?.(info);
    },
  };
}

function nameOf({ method, url }: RequestInfo): string {
  return `${method} ${new URL(url).pathname}`;
}

function reasonOf(outcome: AttemptOutcome): string {
  switch (outcome.kind) {
    case 'status':
      return `status ${outcome.status}`;
    case 'network':
      return 'no connection';
    case 'timeout':
      return 'no answer in time';
  }
}

function describeWait({ bucket, waitMs, reason }: WaitInfo): string {
  const why = reason === 'refused' ? 'a 429 asked for it' : 'the next request would be refused';
  return `waiting ${Math.ceil(waitMs / 1000)} s for the ${bucket} rate limit: ${why}`;
}
