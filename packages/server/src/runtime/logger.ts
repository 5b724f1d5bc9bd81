import { type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { traceFields } from './tracing.ts';

/** Logs JSON lines to stderr; stdout is for the ready line and the output of commands. */
export function createLogger(level: Config['logLevel']): Logger {
  return pino(
    { level, base: { pid: process.pid }, serializers: { err: describeError }, mixin: traceFields },
    pino.destination({ fd: 2, sync: true }),
  );
}

/**
 * Returns the loggable fields of an error. Database drivers attach the values of a statement to theirs (`detail`,
 * `where`, `parameters`), which may be secrets or payloads, so only these fields are logged.
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
