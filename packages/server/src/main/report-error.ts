/** The only place that turns errors of commands into messages and exit codes. */
import { CommanderError } from 'commander';
import { ConfigError } from '@svc/engine/config/config';
import { ListenError } from '../http/listen.ts';
import { BackupError } from '../admin/backup/archive.ts';
import { AdminError } from '@svc/operations/implemented/admin-error';
import { DataDirInUseError } from '@svc/engine/store/database/data-dir-lock';
import { DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { SchemaError } from '@svc/engine/store/migrations/migrate';
import { NotReplaceableError } from '@svc/engine/world/load-world';

/** 1: refused or failed. 2: invalid command line. */
export type FailureCode = 1 | 2;

/** Failures that the user can fix: the message is enough, a stack would hide it. */
const FIXABLE = [
  { type: BackupError, code: 'backup' },
  { type: ConfigError, code: 'configuration' },
  { type: DataDirInUseError, code: 'data_dir_in_use' },
  { type: DatabaseUnavailableError, code: 'database_unavailable' },
  { type: ListenError, code: 'listen' },
  { type: NotReplaceableError, code: 'not_replaceable' },
  { type: SchemaError, code: 'not_migrated' },
];

/**
 * Writes the error to stderr: as a sentence, or as one line `{"error":{"code","message"}}`.
 *
 * @returns the exit code; 0 for help and version, which commander throws too
 */
export function reportError(error: unknown, { json }: { json: boolean }): 0 | FailureCode {
  if (error instanceof CommanderError) return reportUsage(error, json);
  const code = codeOf(error);
  const message = code === 'unexpected' ? describe(error) : messageOf(error);
  process.stderr.write(json ? toJson(code, messageOf(error)) : `svc-server: ${message}\n`);
  return 1;
}

/** Without `--json` commander has printed the message already. */
function reportUsage(error: CommanderError, json: boolean): 0 | FailureCode {
  if (error.exitCode === 0) return 0;
  const isHelp = error.code === 'commander.help';
  const message = isHelp ? 'A command is missing: --help lists them.' : error.message.replace(/^error: /, '');
  if (json) process.stderr.write(toJson('usage', message));
  return 2;
}

function codeOf(error: unknown): string {
  if (error instanceof AdminError) return error.code;
  return FIXABLE.find(({ type }) => error instanceof type)?.code ?? 'unexpected';
}

function toJson(code: string, message: string): string {
  return `${JSON.stringify({ error: { code, message } })}\n`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
