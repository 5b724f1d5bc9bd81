import { posix, win32 } from 'node:path';
import type { Machine } from '../../config/environment.ts';
import { type Entry, KEY_INPUT, KEY_VARIABLE, type McpClient, type McpServer, SERVER_NAME } from './mcp-client.ts';

type Stdio = Extract<McpServer, { transport: 'stdio' }>;

function stdioEntry({ command, args, env }: Stdio): Entry {
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

/** @param variable the client's form of a variable of the environment */
function bearer(variable: string): { readonly headers: { readonly Authorization: string } } {
  return { headers: { Authorization: `Bearer ${variable}` } };
}

/** Returns the words `FLAG NAME=VALUE` of each variable. */
function envWords(flag: string, { env = {} }: Entry): string[] {
  return Object.entries(env as object).flatMap(([name, value]) => [flag, `${name}=${value}`]);
}

function commandWords({ command, args }: Entry): string[] {
  return [String(command), ...(args as readonly string[])];
}

function joinFor({ platform }: Machine, ...parts: string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

function inHome(...parts: string[]): (machine: Machine) => string {
  return (machine) => joinFor(machine, machine.home, ...parts);
}

function inProject(...parts: string[]): (machine: Machine) => string {
  return (machine) => joinFor(machine, machine.project, ...parts);
}

/** Returns a path in the folder where programs with a window keep their settings. */
function inAppFolder(...parts: string[]): (machine: Machine) => string {
  return (machine) => joinFor(machine, machine.appFolder, ...parts);
}

function inZedFolder(...parts: string[]): (machine: Machine) => string {
  const inFolder = {
    linux: inAppFolder('zed', ...parts),
    win32: inAppFolder('Zed', ...parts),
    darwin: inHome('.config', 'zed', ...parts),
  };
  return (machine) => inFolder[machine.platform](machine);
}

function inCodexFolder(...parts: string[]): (machine: Machine) => string {
  return (machine) => joinFor(machine, machine.codexFolder ?? inHome('.codex')(machine), ...parts);
}

export const MCP_CLIENTS = {
  'claude-desktop': {
    title: 'Claude Desktop',
    files: { user: inAppFolder('Claude', 'claude_desktop_config.json') },
    section: 'mcpServers',
    edits: ['user'],
    signs: (machine) => [inAppFolder('Claude')(machine)],
    // Its file has no HTTP; addresses are entered in its window.
    entry: (server) => (server.transport === 'stdio' ? stdioEntry(server) : null),
    afterwards: 'Restart Claude Desktop.',
  },
  'claude-code': {
    title: 'Claude Code',
    files: {
      user: (machine) => joinFor(machine, machine.claudeFolder ?? machine.home, '.claude.json'),
      project: inProject('.mcp.json'),
    },
    section: 'mcpServers',
    edits: ['project'],
    signs: (machine) => [inHome('.claude.json')(machine), inHome('.claude')(machine)],
    entry: (server) =>
      server.transport === 'stdio'
        ? { type: 'stdio', ...stdioEntry(server) }
        : { type: 'http', url: server.url, ...bearer(`\${${KEY_VARIABLE}}`) },
    program: {
      name: 'claude',
      scopes: ['user', 'project'],
      add: (entry, scope, exists) => [
        ...(exists ? [['mcp', 'remove', '--scope', scope, SERVER_NAME]] : []),
        ['mcp', 'add-json', '--scope', scope, SERVER_NAME, JSON.stringify(entry)],
      ],
      remove: (scope) => ['mcp', 'remove', '--scope', scope, SERVER_NAME],
    },
  },
  cursor: {
    title: 'Cursor',
    files: { user: inHome('.cursor', 'mcp.json'), project: inProject('.cursor', 'mcp.json') },
    section: 'mcpServers',
    edits: ['user', 'project'],
    signs: (machine) => [inHome('.cursor')(machine)],
    entry: (server) =>
      server.transport === 'stdio' ? stdioEntry(server) : { url: server.url, ...bearer(`\${env:${KEY_VARIABLE}}`) },
  },
  vscode: {
    title: 'VS Code',
    files: { user: inAppFolder('Code', 'User', 'mcp.json'), project: inProject('.vscode', 'mcp.json') },
    section: 'servers',
    edits: ['user', 'project'],
    signs: (machine) => [inAppFolder('Code', 'User')(machine)],
    entry: (server) =>
      server.transport === 'stdio'
        ? { type: 'stdio', ...stdioEntry(server) }
        : { type: 'http', url: server.url, ...bearer(`\${input:${KEY_INPUT}}`) },
    asksForKey: true,
  },
  windsurf: {
    title: 'Windsurf',
    files: { user: inHome('.codeium', 'windsurf', 'mcp_config.json') },
    section: 'mcpServers',
    edits: ['user'],
    signs: (machine) => [inHome('.codeium', 'windsurf')(machine)],
    entry: (server) =>
      server.transport === 'stdio'
        ? stdioEntry(server)
        : { serverUrl: server.url, ...bearer(`\${env:${KEY_VARIABLE}}`) },
  },
  zed: {
    title: 'Zed',
    files: { user: inZedFolder('settings.json'), project: inProject('.zed', 'settings.json') },
    section: 'context_servers',
    // The file has comments.
    edits: [],
    signs: (machine) => [inZedFolder()(machine)],
    // It reads the key from its file only.
    entry: (server) => (server.transport === 'stdio' ? stdioEntry(server) : null),
  },
  codex: {
    title: 'Codex',
    files: { user: inCodexFolder('config.toml'), project: inProject('.codex', 'config.toml') },
    section: 'mcp_servers',
    // The file is TOML.
    edits: [],
    signs: (machine) => [inCodexFolder()(machine)],
    entry: (server) =>
      server.transport === 'stdio' ? stdioEntry(server) : { url: server.url, bearer_token_env_var: KEY_VARIABLE },
    program: {
      name: 'codex',
      scopes: ['user'],
      add: (entry) => [
        'url' in entry
          ? ['mcp', 'add', SERVER_NAME, '--url', String(entry.url), '--bearer-token-env-var', KEY_VARIABLE]
          : ['mcp', 'add', SERVER_NAME, ...envWords('--env', entry), '--', ...commandWords(entry)],
      ],
      remove: () => ['mcp', 'remove', SERVER_NAME],
      show: ['mcp', 'get', SERVER_NAME, '--json'],
    },
  },
  gemini: {
    title: 'Gemini CLI',
    files: { user: inHome('.gemini', 'settings.json'), project: inProject('.gemini', 'settings.json') },
    section: 'mcpServers',
    edits: ['user', 'project'],
    signs: (machine) => [inHome('.gemini')(machine)],
    entry: (server) =>
      server.transport === 'stdio'
        ? stdioEntry(server)
        : { type: 'http', url: server.url, ...bearer(`$${KEY_VARIABLE}`) },
    program: {
      name: 'gemini',
      scopes: ['user', 'project'],
      add: (entry, scope) => [
        [
          ...['mcp', 'add', '--scope', scope],
          ...('url' in entry
            ? ['--transport', 'http', '-H', `Authorization: Bearer $${KEY_VARIABLE}`, SERVER_NAME, String(entry.url)]
            : [...envWords('-e', entry), SERVER_NAME, ...commandWords(entry)]),
        ],
      ],
      remove: (scope) => ['mcp', 'remove', '--scope', scope, SERVER_NAME],
    },
  },
} as const satisfies Record<string, McpClient>;

export type ClientName = keyof typeof MCP_CLIENTS;

export const CLIENT_NAMES = Object.keys(MCP_CLIENTS) as ClientName[];
