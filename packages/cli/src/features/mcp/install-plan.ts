import { existsSync } from 'node:fs';
import type { Machine } from '../../config/environment.ts';
import { CliError, usageError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { toShellWord } from '../../format/shell-quote.ts';
import { askProgram, findProgram, runProgram } from './client-program.ts';
import { type ClientName, MCP_CLIENTS } from './clients.ts';
import { readConfigText, replaceConfigText } from './config-edit.ts';
import { ConfigTextError, describeChange, editConfig, isSameEntry, mergeEntry, readEntry } from './config-text.ts';
import { type Entry, type McpClient, type McpServer, type Scope, SERVER_NAME } from './mcp-client.ts';
import { renderSnippet } from './snippet.ts';

export interface Wish {
  /** Null removes the entry. */
  readonly server: McpServer | null;
  readonly scope: Scope;
}

/**
 * What is to be done in a client:
 * - change: `apply` does it
 * - same: nothing
 * - manual: the user puts the snippet into the file, or takes the entry out of it
 */
export interface ClientPlan {
  readonly client: ClientName;
  readonly title: string;
  readonly file: string;
  /** Where the entry is in the file. */
  readonly key: string;
  readonly kind: 'change' | 'same' | 'manual';
  readonly change: 'add' | 'update' | 'remove' | null;
  /** Lines with `+` and `-`. */
  readonly diff: readonly string[];
  /** Command lines of the client that do it, in place of an edit of the file. */
  readonly commands: readonly string[];
  readonly snippet: string | null;
  readonly afterwards: string | null;
  /** @returns the copy of the file before the change */
  readonly apply: () => Promise<string | null>;
}

/** Whether a client is on this machine. */
export function isClientHere(name: ClientName, machine: Machine): boolean {
  const client: McpClient = MCP_CLIENTS[name];
  const program = client.program === undefined ? null : findProgram(client.program.name, machine);
  return program !== null || client.signs(machine).some((path) => existsSync(path));
}

/** @throws CliError if the client cannot have such a server, or if its file cannot be read */
export async function planClient(name: ClientName, wish: Wish, machine: Machine): Promise<ClientPlan> {
  const client: McpClient = MCP_CLIENTS[name];
  const file = client.files[wish.scope]?.(machine);
  if (file === undefined)
    throw usageError(`${client.title} has no configuration file of a project`, 'Use --scope user.');
  const entry = wish.server === null ? null : client.entry(wish.server);
  if (entry === null && wish.server !== null) {
    throw usageError(
      `${client.title} cannot take the key from the environment`,
      'Leave out --url: `svc mcp` has the key.',
    );
  }
  const found = client.program?.scopes.includes(wish.scope) === true ? findProgram(client.program.name, machine) : null;
  const common = {
    ...{ client: name, title: client.title, file, key: `${client.section}.${SERVER_NAME}` },
    ...{ diff: [], commands: [], snippet: null, change: null, apply: async () => null },
    afterwards: client.afterwards ?? null,
  };
  if (client.program !== undefined && found !== null) {
    const old = await readOld(client, client.program.show, found, file);
    const after = programEntry(old, entry);
    if (isSameEntry(old, after)) return { ...common, kind: 'same' };
    const { add, remove } = client.program;
    const calls = after === null ? [remove(wish.scope)] : add(after, wish.scope, old !== null);
    const apply = async () => {
      for (const args of calls) await runProgram(found, args);
      const now = await readOld(client, client.program?.show, found, file);
      if (isSameEntry(now, after)) return null;
      throw new CliError(
        'client_failed',
        EXIT_CODES.unexpected,
        `${found} ended, but ${file} does not have the change`,
      );
    };
    const commands = calls.map((args) => [client.program?.name ?? found, ...args].map(toShellWord).join(' '));
    return { ...common, kind: 'change', ...describe(old, after), commands, apply };
  }
  const manual = { ...common, kind: 'manual', snippet: entry && renderSnippet(client.section, entry) } as const;
  if (!client.edits.includes(wish.scope)) return manual;
  const text = readConfigText(file);
  try {
    const old = readEntry(text, client);
    const after = entry === null ? null : mergeEntry(old, entry);
    if (isSameEntry(old, after)) return { ...common, kind: 'same' };
    const edited = editConfig(text, client, after);
    return { ...common, kind: 'change', ...describe(old, after), apply: () => replaceConfigText(file, text, edited) };
  } catch (error) {
    throw error instanceof ConfigTextError ? refusal(file, error, manual.snippet) : error;
  }
}

/** Programs get nothing that the user added to an old entry: their arguments are visible to other users. */
function programEntry(old: Entry | null, entry: Entry | null): Entry | null {
  return entry !== null && isSameEntry(old, mergeEntry(old, entry)) ? old : entry;
}

async function readOld(
  client: McpClient,
  show: readonly string[] | undefined,
  program: string,
  file: string,
): Promise<Entry | null> {
  if (show !== undefined) return askProgram(program, show);
  try {
    return readEntry(readConfigText(file), client);
  } catch (error) {
    throw error instanceof ConfigTextError ? refusal(file, error, null) : error;
  }
}

function describe(old: Entry | null, after: Entry | null): Pick<ClientPlan, 'change' | 'diff'> {
  const change = after === null ? 'remove' : old === null ? 'add' : 'update';
  return { change, diff: describeChange(old, after) };
}

function refusal(file: string, error: ConfigTextError, snippet: string | null): CliError {
  const hint = snippet === null ? 'Correct the file.' : `Put this into it yourself:\n${snippet}`;
  return new CliError('not_editable', EXIT_CODES.unexpected, `${file} stays as it is: ${error.message}`, hint);
}
