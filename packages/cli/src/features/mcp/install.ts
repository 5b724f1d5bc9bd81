import { resolve } from 'node:path';
import { exitCodeOfBatch } from '../../command/batch-exit-code.ts';
import { type ErrorReport, summarizeError, toErrorReport } from '../../command/map-error.ts';
import type { Machine } from '../../config/environment.ts';
import type { ExitCode } from '../../errors/exit-codes.ts';
import { type ClientName, MCP_CLIENTS } from './clients.ts';
import { type ClientPlan, isClientHere, planClient, type Wish } from './install-plan.ts';
import type { McpServer } from './mcp-client.ts';

/** What becomes of one client. */
export interface ClientOutcome {
  readonly client: ClientName;
  readonly title: string;
  readonly isHere: boolean;
  /** Null if `error` says why there is none. */
  readonly plan: ClientPlan | null;
  readonly error: ErrorReport | null;
  /** The error that was thrown. */
  readonly cause: unknown;
  readonly isApplied: boolean;
  /** The copy of the file before the change. */
  readonly backup: string | null;
}

export async function planClients(
  names: readonly ClientName[],
  wish: Wish,
  machine: Machine,
): Promise<ClientOutcome[]> {
  const outcomes: ClientOutcome[] = [];
  for (const client of new Set(names)) {
    const { title } = MCP_CLIENTS[client];
    const common = { client, title, isHere: isClientHere(client, machine), isApplied: false, backup: null };
    try {
      outcomes.push({ ...common, plan: await planClient(client, wish, machine), error: null, cause: null });
    } catch (cause) {
      outcomes.push({ ...common, plan: null, error: toErrorReport(cause), cause });
    }
  }
  return outcomes;
}

/** Carries out the plans, one after another, and continues after failures. */
export async function applyPlans(outcomes: readonly ClientOutcome[]): Promise<ClientOutcome[]> {
  const applied: ClientOutcome[] = [];
  for (const outcome of outcomes) {
    const { plan } = outcome;
    if (plan?.kind !== 'change') applied.push(outcome);
    else {
      try {
        applied.push({ ...outcome, backup: await plan.apply(), isApplied: true });
      } catch (cause) {
        applied.push({ ...outcome, error: toErrorReport(cause), cause });
      }
    }
  }
  return applied;
}

export function exitCodeOf(outcomes: readonly ClientOutcome[]): ExitCode {
  return exitCodeOfBatch(outcomes.map(({ error }) => error?.exitCode ?? 0));
}

/** Returns the outcome for `--json`. */
export function summarizeOutcome({ client, isHere, plan, error, isApplied, backup }: ClientOutcome): object {
  const { file = null, key = null, kind = null, change = null, diff = [], commands = [], snippet = null } = plan ?? {};
  return {
    ...{ client, found: isHere, file, key, action: kind === 'change' ? change : kind, applied: isApplied },
    ...{ diff, commands, snippet, backup, error: error && summarizeError(error) },
  };
}

export interface StdioOptions {
  readonly runFile: string;
  readonly profile: string;
  readonly allowsWrites: boolean;
  readonly hidesText: boolean;
  /** Null if it is where `svc` looks without any variable. */
  readonly configDir: string | null;
  readonly extraCaFile: string | null;
}

/** Clients start the command without a shell and with few variables, so all paths are absolute. */
export function describeStdioServer(options: StdioOptions): McpServer {
  const { runFile, profile, allowsWrites, hidesText, configDir, extraCaFile } = options;
  return {
    transport: 'stdio',
    command: process.execPath,
    args: [
      ...[runFile, 'mcp', '--profile', profile],
      ...(allowsWrites ? ['--allow-write'] : []),
      ...(hidesText ? ['--no-payloads'] : []),
    ],
    env: {
      ...(configDir === null ? {} : { SVC_CONFIG_DIR: resolve(configDir) }),
      ...(extraCaFile === null ? {} : { NODE_EXTRA_CA_CERTS: resolve(extraCaFile) }),
    },
  };
}
