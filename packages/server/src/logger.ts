import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

/** JSON lines on stderr; stdout belongs to the ready line and to what commands print. */
export function createLogger(level: Config['logLevel']): Logger {
  return pino(
    { level, base: { pid: process.pid }, serializers: { err: describeError } },
    pino.destination({ fd: 2, sync: true }),
  );
}

/**
 * What a log may know of an error. Database drivers hang the values of a statement on theirs (`detail`, `where`,
 * `parameters`), and those may be secrets or payloads, so only these fields are kept.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    type: error.name,
    message: error.message,
    ...('code' in error ? { code: error.code } : {}),
    stack: error.stack,
    ...(error.cause instanceof Error ? { cause: { type: error.cause.name, message: error.cause.message } } : {}),
  };
}
