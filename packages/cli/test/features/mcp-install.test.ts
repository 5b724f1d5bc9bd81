/** `svc mcp install` with the home of a user in a temporary folder. No program of a client is started but those written here. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { BIN, buildCli, type CliResult } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;
let home: string;

beforeAll(async () => {
  await buildCli();
  service = await startMockService();
}, 120_000);
afterAll(() => service.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-mcp-install-'));
  const profile = { apiKey: service.apiKey, baseUrl: service.url };
  put('.config/svc/profiles.json', { active: 'live', profiles: { live: profile, other: profile } });
});

function put(name: string, content: object | string): string {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

interface Config {
  readonly mcpServers: { readonly svc: { readonly command: string; readonly args: string[] } };
}

function read(name: string): Config {
  return JSON.parse(readFileSync(join(home, name), 'utf8'));
}

/** Writes a program into the only folder of PATH. It records its arguments. */
function putProgram(name: string, script: string): void {
  const file = put(`bin/${name}`, `#!/bin/sh\necho "$@" >> "${join(home, `${name}.calls`)}"\n${script}\n`);
  chmodSync(file, 0o755);
}

function svc(...argv: string[]): Promise<CliResult> {
  const env = { HOME: home, PATH: join(home, 'bin'), SVC_CONFIG_DIR: '' };
  return runInProcess(['mcp', 'install', ...argv], { env, cwd: home });
}

const STDIO = { command: process.execPath, args: [BIN, 'mcp', '--profile', 'live'] };

test('adds the command to a file, shows it, and does nothing the second time', async () => {
  const first = await svc('--client', 'cursor');
  expect(first).toMatchObject({ code: 0, stderr: 'Added to Cursor.\n' });
  expect(first.stdout).toBe(`Cursor: add svc to ${home}/.cursor/mcp.json
  + "command": "${process.execPath}"
  + "args": ["${BIN}", "mcp", "--profile", "live"]
`);
  expect(read('.cursor/mcp.json')).toEqual({ mcpServers: { svc: STDIO } });

  const second = await svc('--client', 'cursor');
  const nothing = `Cursor: nothing to do, svc is in ${home}/.cursor/mcp.json\n`;
  expect(second).toMatchObject({ code: 0, stderr: '', stdout: nothing });
  expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json']);
});

test('a client can start what was written', async () => {
  await svc('--client', 'cursor', '--client', 'claude-desktop', '--allow-write');
  const { command, args } = read('.config/Claude/claude_desktop_config.json').mcpServers.svc;
  expect(read('.cursor/mcp.json').mcpServers.svc).toEqual({ command, args });
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  // The few variables that clients pass on.
  await client.connect(new StdioClientTransport({ command, args, env: { HOME: home }, stderr: 'pipe' }));
  try {
    const { structuredContent } = await client.callTool({ name: 'svc_explain_sync', arguments: { id: 2657 } });
    expect(structuredContent).toMatchObject({ outcome: 'failed' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('svc_retry_sync');
  } finally {
    await client.close();
  }
}, 60_000);

test('an update keeps what the user has, and a copy of the old file', async () => {
  const old = {
    theme: 'dark',
    mcpServers: { other: { command: 'x' }, svc: { ...STDIO, args: ['/old/bin/run.js', 'mcp'], disabled: false } },
  };
  const file = put('.cursor/mcp.json', old);
  chmodSync(file, 0o600);
  const { code, stdout, stderr } = await svc('--client', 'cursor', '--profile', 'other');
  expect([code, stderr]).toEqual([0, `Updated in Cursor. The file before it is ${file}.svc-backup.\n`]);
  expect(stdout).toContain('  - "args": ["/old/bin/run.js", "mcp"]\n  + "args": [');
  const args = [BIN, 'mcp', '--profile', 'other'];
  expect(read('.cursor/mcp.json')).toEqual({
    ...old,
    mcpServers: { other: { command: 'x' }, svc: { ...STDIO, args, disabled: false } },
  });
  expect(read('.cursor/mcp.json.svc-backup')).toEqual(old);
  expect([file, `${file}.svc-backup`].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o600]);
});

test('--dry-run changes nothing', async () => {
  const { code, stdout, stderr } = await svc('--client', 'cursor', '--dry-run');
  expect([code, stderr]).toEqual([0, 'Nothing was changed; the same command without --dry-run does it.\n']);
  expect(stdout).toContain('Cursor: add svc to');
  expect(existsSync(join(home, '.cursor'))).toBe(false);
});

test('without --client it lists the clients that are here and asks nothing', async () => {
  put('.cursor/mcp.json', {});
  put('.codeium/windsurf/mcp_config.json', {});
  const { code, stdout, stderr } = await svc();
  expect([code, stderr]).toEqual([
    0,
    'Nothing was changed; the same command with --client cursor --client windsurf does it.\n',
  ]);
  expect(stdout.match(/^\S.*: add svc to/gm)).toEqual(['Cursor: add svc to', 'Windsurf: add svc to']);
  expect(read('.cursor/mcp.json')).toEqual({});
});

test('without --client and without clients it names those that it knows', async () => {
  const { code, stderr } = await svc();
  expect(code).toBe(3);
  expect(stderr).toMatch(/No MCP client was found on this machine\n.*claude-desktop, claude-code, cursor, vscode/);
});

test('--remove takes out what it added', async () => {
  const file = put('.cursor/mcp.json', '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n');
  const before = readFileSync(file, 'utf8');
  await svc('--client', 'cursor');
  const { stdout, stderr } = await svc('--client', 'cursor', '--remove');
  expect(stdout).toContain('Cursor: remove svc from');
  expect(stderr).toMatch(/^Removed from Cursor\./);
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect((await svc('--client', 'cursor', '--remove')).stdout).toContain('nothing to do, svc is not in');
});

test('over HTTP no file gets a key', async () => {
  const { code, stderr } = await svc('--client', 'cursor', '--client', 'vscode', '--url', 'https://sync.example.com');
  expect([code, stderr]).toEqual([
    0,
    'Added to Cursor.\nAdded to VS Code.\nClients read the key from SVC_API_KEY in their environment; VS Code asks for it.\n',
  ]);
  const url = 'https://sync.example.com/mcp';
  const headers = { Authorization: 'Bearer ${env:SVC_API_KEY}' };
  expect(read('.cursor/mcp.json')).toEqual({ mcpServers: { svc: { url, headers } } });
  const question = { type: 'promptString', id: 'svc-api-key', description: 'API key for svc', password: true };
  expect(read('.config/Code/User/mcp.json')).toEqual({
    servers: { svc: { type: 'http', url, headers: { Authorization: 'Bearer ${input:svc-api-key}' } } },
    inputs: [question],
  });
  const desktop = await svc('--client', 'claude-desktop', '--url', 'https://sync.example.com');
  expect(desktop).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('cannot take the key from the environment'),
  });
});

test('the files of a project are those of the current folder', async () => {
  await svc('--client', 'claude-code', '--client', 'vscode', '--client', 'gemini', '--scope', 'project');
  expect(read('.mcp.json')).toEqual({ mcpServers: { svc: { type: 'stdio', ...STDIO } } });
  expect(read('.vscode/mcp.json')).toEqual({ servers: { svc: { type: 'stdio', ...STDIO } } });
  expect(read('.gemini/settings.json')).toEqual({ mcpServers: { svc: STDIO } });
});

test('files in another format stay, and the text for them is printed', async () => {
  const { code, stdout } = await svc('--client', 'codex', '--client', 'zed');
  expect(code).toBe(0);
  expect(stdout).toBe(`Codex: put this into ${home}/.codex/config.toml
  [mcp_servers.svc]
  command = "${process.execPath}"
  args = ["${BIN}", "mcp", "--profile", "live"]

Zed: put this into ${home}/.config/zed/settings.json
  {
    "context_servers": {
      "svc": {
        "command": "${process.execPath}",
        "args": [
          "${BIN}",
          "mcp",
          "--profile",
          "live"
        ]
      }
    }
  }
`);
});

describe('a file that cannot be changed', () => {
  test('because it is not JSON stays as it is', async () => {
    const file = put('.cursor/mcp.json', '{ "mcpServers": { "other": { "env": { "KEY": "secret" } }');
    const { code, stderr } = await svc('--client', 'cursor');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Error: \S+mcp\.json stays as it is: it is not JSON\n/)]);
    expect(stderr).toContain('"mcpServers"');
    expect(stderr).not.toContain('secret');
    expect(readFileSync(file, 'utf8')).toContain('secret');
  });

  test('does not keep the others from being changed', async () => {
    put('.cursor/mcp.json', '{\n  // mine\n}');
    const { code, stdout, stderr } = await svc('--client', 'cursor', '--client', 'windsurf');
    expect([code, stderr]).toEqual([10, 'Added to Windsurf.\n']);
    expect(stdout).toMatch(/^Cursor: \S+ stays as it is: it is JSON with comments, which would be lost$/m);
    expect(read('.codeium/windsurf/mcp_config.json')).toEqual({ mcpServers: { svc: STDIO } });
  });

  test('because it is write-protected is named', async () => {
    const file = put('.cursor/mcp.json', {});
    chmodSync(file, 0o444);
    const { code, stderr } = await svc('--client', 'cursor');
    expect([code, stderr]).toEqual([1, `Error: Cannot write to ${file}: permission denied\n`]);
    expect(read('.cursor/mcp.json')).toEqual({});
  });

  test('because a folder is in its place is named', async () => {
    mkdirSync(join(home, '.cursor', 'mcp.json'), { recursive: true });
    const { code, stderr } = await svc('--client', 'cursor');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Cannot read')]);
  });
});

test('a link stays, and its target is changed', async () => {
  const target = put('dotfiles/cursor.json', {});
  mkdirSync(join(home, '.cursor'));
  symlinkSync(target, join(home, '.cursor', 'mcp.json'));
  await svc('--client', 'cursor');
  expect(lstatSync(join(home, '.cursor', 'mcp.json')).isSymbolicLink()).toBe(true);
  expect(read('dotfiles/cursor.json')).toEqual({ mcpServers: { svc: STDIO } });
});

describe('the program of a client', () => {
  const claude = `case "$2" in
  add-json) printf '{"mcpServers": {"svc": %s}}' "$6" > "$HOME/.claude.json" ;;
  remove) echo '{}' > "$HOME/.claude.json" ;;
esac`;

  test('is used in place of an edit', async () => {
    putProgram('claude', claude);
    const first = await svc('--client', 'claude-code');
    expect(first).toMatchObject({ code: 0, stderr: 'Added to Claude Code.\n' });
    expect(first.stdout).toContain('  $ claude mcp add-json --scope user svc ');
    expect(read('.claude.json')).toEqual({ mcpServers: { svc: { type: 'stdio', ...STDIO } } });

    expect((await svc('--client', 'claude-code')).stdout).toContain('Claude Code: nothing to do');
    await svc('--client', 'claude-code', '--profile', 'other');
    await svc('--client', 'claude-code', '--remove');
    const calls = readFileSync(join(home, 'claude.calls'), 'utf8').trim().split('\n');
    expect(calls.map((call) => call.split(' ')[1])).toEqual(['add-json', 'remove', 'add-json', 'remove']);
  });

  test('that fails is named with what it said', async () => {
    putProgram('claude', 'echo "no space left" >&2; exit 3');
    const { code, stderr } = await svc('--client', 'claude-code');
    expect([code, stderr]).toEqual([1, `Error: ${home}/bin/claude failed: no space left\n`]);
  });

  test('that does nothing is noticed', async () => {
    putProgram('gemini', '');
    const { code, stderr } = await svc('--client', 'gemini');
    expect(code).toBe(1);
    expect(stderr).toContain(`ended, but ${home}/.gemini/settings.json does not have the change`);
    expect(readFileSync(join(home, 'gemini.calls'), 'utf8')).toBe(
      `mcp add --scope user svc ${process.execPath} ${BIN} mcp --profile live\n`,
    );
  });

  test('tells what a file that is not JSON has', async () => {
    const transport = { type: 'stdio', ...STDIO, env: null, env_vars: [], cwd: null };
    putProgram('codex', `echo '${JSON.stringify({ name: 'svc', transport })}'`);
    expect((await svc('--client', 'codex')).stdout).toContain('Codex: nothing to do');
  });
});

test('--json says what became of each client', async () => {
  const { code, stdout, stderr } = await svc('--client', 'cursor', '--client', 'zed', '--json');
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({
    applied: true,
    exitCode: 0,
    clients: [
      {
        client: 'cursor',
        found: false,
        key: 'mcpServers.svc',
        action: 'add',
        applied: true,
        backup: null,
        error: null,
      },
      { client: 'zed', action: 'manual', applied: false, snippet: expect.stringContaining('context_servers') },
    ],
  });
});

test('a moved folder of profiles is named in the entry', async () => {
  const folder = join(home, '.config', 'svc');
  const env = { HOME: '/nonexistent', PATH: '', SVC_CONFIG_DIR: folder };
  const { stdout } = await runInProcess(['mcp', 'install', '--client', 'cursor', '--dry-run'], { env });
  expect(stdout).toContain(`  + "env": { "SVC_CONFIG_DIR": "${folder}" }`);
});

describe('--skill', () => {
  const source = new URL('../../skills/sequencer-crm-sync/SKILL.md', import.meta.url);
  const copy = '.agents/skills/sequencer-crm-sync/SKILL.md';
  const text = (name: string) => readFileSync(join(home, name), 'utf8');

  test('copies the skill for all agents, once, without a profile', async () => {
    const first = await svc('--skill');
    expect(first).toMatchObject({ code: 0, stdout: `Skill: copy to ${home}/${copy}\n`, stderr: 'Copied the skill.\n' });
    expect(text(copy)).toBe(readFileSync(source, 'utf8'));
    const again = await svc('--skill');
    expect(again).toMatchObject({ code: 0, stdout: `Skill: nothing to do for ${home}/${copy}\n`, stderr: '' });
    expect(existsSync(join(home, '.claude'))).toBe(false);
  });

  test('copies it for Claude Code beside an entry, into the project', async () => {
    const { code, stderr } = await svc('--client', 'claude-code', '--scope', 'project', '--skill');
    expect([code, stderr]).toEqual([0, 'Added to Claude Code.\nCopied the skill.\n']);
    expect(text('.claude/skills/sequencer-crm-sync/SKILL.md')).toBe(text(copy));
    expect(read('.mcp.json').mcpServers.svc.args).toEqual(STDIO.args);
  });

  test('keeps a changed copy, and --remove leaves the files of others', async () => {
    put(copy, 'mine');
    put('.agents/skills/other/SKILL.md', 'other');
    expect((await svc('--skill', '--dry-run')).stdout).toBe(`Skill: replace ${home}/${copy}\n`);
    await svc('--skill');
    expect(text(`${copy}.svc-backup`)).toBe('mine');
    expect(await svc('--skill', '--remove')).toMatchObject({ code: 0, stderr: 'Removed the skill.\n' });
    expect([existsSync(join(home, copy)), text('.agents/skills/other/SKILL.md')]).toEqual([false, 'other']);
  });
});
