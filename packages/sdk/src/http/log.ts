/**
 * What a client tells a log. Loaded only where there is one. Lines hold method, path, status, times and request id: never the
 * query (it may hold personal data), a body, or a key.
 */
import type { AttemptOutcome } from './retry-timing.ts';
import type { Hooks, RequestInfo, WaitInfo } from './fetch.ts';

/** The methods of `console`, pino, winston and others that are used. */
export interface Logger {
  debug(line: string): void;
  info(line: string): void;
  warn(line: string): void;
}

/**
 * - `debug`: also every attempt as it leaves
 * - `info`: every answer
 * - `warn`: attempts that failed and are made again, and waits for a rate limit
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'off';

const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'off'] satisfies LogLevel[];

export interface LogOptions {
  readonly logger?: Logger | undefined;
  /** As the caller or the environment wrote it; what is no level counts as `info`. */
  readonly level: string;
}

/** Hooks that tell the log, and after it those of the caller. */
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
      write('warn', `${nameOf(info)} failed (${reasonOf(info.reason)}), again in ${info.delayMs} ms`);
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
