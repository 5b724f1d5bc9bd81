import { expect, test } from 'vitest';
import { type Machine, readMachine } from '../../config/environment.ts';
import { CLIENT_NAMES, type ClientName, MCP_CLIENTS } from './clients.ts';
import type { McpClient, Scope } from './mcp-client.ts';

function files(scope: Scope, machine: Machine): Partial<Record<ClientName, string>> {
  const all = CLIENT_NAMES.map((name) => {
    const client: McpClient = MCP_CLIENTS[name];
    return [name, client.files[scope]?.(machine)] as const;
  });
  return Object.fromEntries(all.filter(([, file]) => file !== undefined));
}

test('files of the user on macOS', () => {
  const machine = readMachine({ HOME: '/Users/kim' }, 'darwin', '/Users/kim/work');
  expect(files('user', machine)).toEqual({
    'claude-desktop': '/Users/kim/Library/Application Support/Claude/claude_desktop_config.json',
    'claude-code': '/Users/kim/.claude.json',
    cursor: '/Users/kim/.cursor/mcp.json',
    vscode: '/Users/kim/Library/Application Support/Code/User/mcp.json',
    windsurf: '/Users/kim/.codeium/windsurf/mcp_config.json',
    zed: '/Users/kim/.config/zed/settings.json',
    codex: '/Users/kim/.codex/config.toml',
    gemini: '/Users/kim/.gemini/settings.json',
  });
});

test('files of the user on Linux', () => {
  const machine = readMachine({ HOME: '/home/kim' }, 'linux', '/project');
  expect(files('user', machine)).toEqual({
    'claude-desktop': '/home/kim/.config/Claude/claude_desktop_config.json',
    'claude-code': '/home/kim/.claude.json',
    cursor: '/home/kim/.cursor/mcp.json',
    vscode: '/home/kim/.config/Code/User/mcp.json',
    windsurf: '/home/kim/.codeium/windsurf/mcp_config.json',
    zed: '/home/kim/.config/zed/settings.json',
    codex: '/home/kim/.codex/config.toml',
    gemini: '/home/kim/.gemini/settings.json',
  });
});

test('files of the user on Windows', () => {
  const env = { HOME: String.raw`C:\Users\kim`, APPDATA: String.raw`C:\Users\kim\AppData\Roaming` };
  const machine = readMachine(env, 'win32', String.raw`C:\work`);
  expect(files('user', machine)).toEqual({
    'claude-desktop': String.raw`C:\Users\kim\AppData\Roaming\Claude\claude_desktop_config.json`,
    'claude-code': String.raw`C:\Users\kim\.claude.json`,
    cursor: String.raw`C:\Users\kim\.cursor\mcp.json`,
    vscode: String.raw`C:\Users\kim\AppData\Roaming\Code\User\mcp.json`,
    windsurf: String.raw`C:\Users\kim\.codeium\windsurf\mcp_config.json`,
    zed: String.raw`C:\Users\kim\AppData\Roaming\Zed\settings.json`,
    codex: String.raw`C:\Users\kim\.codex\config.toml`,
    gemini: String.raw`C:\Users\kim\.gemini\settings.json`,
  });
});

test('files of a project', () => {
  const machine = readMachine({ HOME: '/home/kim' }, 'linux', '/project');
  expect(files('project', machine)).toEqual({
    'claude-code': '/project/.mcp.json',
    cursor: '/project/.cursor/mcp.json',
    vscode: '/project/.vscode/mcp.json',
    zed: '/project/.zed/settings.json',
    codex: '/project/.codex/config.toml',
    gemini: '/project/.gemini/settings.json',
  });
});

test('variables move the folders', () => {
  const env = { HOME: '/home/kim', XDG_CONFIG_HOME: '/c', CODEX_HOME: '/codex', CLAUDE_CONFIG_DIR: '/claude' };
  expect(files('user', readMachine(env, 'linux', '/project'))).toMatchObject({
    'claude-code': '/claude/.claude.json',
    vscode: '/c/Code/User/mcp.json',
    zed: '/c/zed/settings.json',
    codex: '/codex/config.toml',
  });
});

test('programs are looked for in absolute folders only', () => {
  const { programFolders } = readMachine({ HOME: '/h', PATH: '/usr/bin::.:bin:/opt/bin' }, 'linux', '/project');
  expect(programFolders).toEqual(['/usr/bin', '/opt/bin']);
});

test.each([
  ['claude-code', { type: 'http', url: 'https://a/mcp', headers: { Authorization: 'Bearer ${SVC_API_KEY}' } }],
  ['cursor', { url: 'https://a/mcp', headers: { Authorization: 'Bearer ${env:SVC_API_KEY}' } }],
  ['vscode', { type: 'http', url: 'https://a/mcp', headers: { Authorization: 'Bearer ${input:svc-api-key}' } }],
  ['windsurf', { serverUrl: 'https://a/mcp', headers: { Authorization: 'Bearer ${env:SVC_API_KEY}' } }],
  ['gemini', { type: 'http', url: 'https://a/mcp', headers: { Authorization: 'Bearer $SVC_API_KEY' } }],
  ['codex', { url: 'https://a/mcp', bearer_token_env_var: 'SVC_API_KEY' }],
  ['claude-desktop', null],
  ['zed', null],
] as const)('%s reads the key for HTTP from the environment, or has no HTTP', (name, entry) => {
  expect(MCP_CLIENTS[name].entry({ transport: 'http', url: 'https://a/mcp' })).toEqual(entry);
});
