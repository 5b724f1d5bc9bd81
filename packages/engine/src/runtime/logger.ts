import { styleText } from 'node:util';
import { type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { formatLogLine } from './pretty-log.ts';
import { traceFields } from './tracing.ts';

/** Logs to stderr: JSON lines, or lines for people. stdout is for the ready line and the output of commands. */
export function createLogger({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const stderr = pino.destination({ fd: 2, sync: true });
  const colors = styleText('red', '.', { stream: process.stderr }) !== '.';
  const pretty = { write: (line: string) => stderr.write(formatLogLine(line, { colors })) };
  return pino(
    { level: logLevel, base: { pid: process.pid }, serializers: { err: describeError }, mixin: traceFields },
    logFormat === 'pretty' ? pretty : stderr,
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
