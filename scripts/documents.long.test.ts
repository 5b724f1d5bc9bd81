/**
 * Runs the command lines of the documents.
 *
 * A block of shell commands with `<!-- run NAME -->` above it is run; blocks of one name share a folder and their variables. With
 * `, beside: COMMAND` the command runs in the background until the block ends; a block with `, in the background` runs until the blocks of
 * its name have ended. Both print a line when they are ready. Of all others, `svc`, `svc-server` and `svc-mock` commands, inline
 * code included, are checked for existence: command and long flags.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { runInProcess } from '../packages/cli/test/support/run-in-process.ts';
import { findHelpSubject } from '../packages/server/src/main/help-and-version.ts';
import { createProgram } from '../packages/server/src/main/program.ts';
import { root, run } from './processes.ts';

const TIMEOUT_MS = 300_000;
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)) && !/^\.changeset|^docs\/decisions/.test(file));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const bin = join(root, 'bin');

interface Block {
  /** Null for blocks that are not run. */
  readonly session: string | null;
  readonly beside: string | null;
  readonly isInBackground: boolean;
  readonly script: string;
}

function blocksOf(file: string): Block[] {
  const pattern =
    /(?:^<!-- run (?<session>\w+)(?:, beside: (?<beside>[^\n]*?)|(?<background>, in the background))? -->\n)?^```sh\n(?<script>[\s\S]*?)^```/gm;
  return [...read(file).matchAll(pattern)].map(({ groups = {} }) => ({
    session: groups['session'] ?? null,
    beside: groups['beside'] ?? null,
    isInBackground: groups['background'] !== undefined,
    script: groups['script'] ?? '',
  }));
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Ports of the documents. Each session uses free ports in their place. */
const PORTS = ['4000', '4010', '4011', '4012'];

/** A folder, the variables and the ports that the blocks of one session share. */
class Session {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-documents-'));
  readonly #env: NodeJS.ProcessEnv;
  readonly #ports: ReadonlyMap<string, string>;
  readonly #background: ChildProcess[] = [];

  constructor(ports: ReadonlyMap<string, string>, env: Readonly<Record<string, string>>) {
    this.#ports = ports;
    folders.push(this.folder);
    const kept = Object.entries(process.env).filter(([name]) => !/^(SVC|PG|DATABASE)_?/.test(name));
    const path = `${bin}:${process.env['PATH']}`;
    const port = ports.get('4000') ?? '';
    const server = { SVC_PORT: port, SVC_BASE_URL: `http://127.0.0.1:${port}`, SVC_LOG_LEVEL: 'error' };
    this.#env = { ...Object.fromEntries(kept), ...server, PATH: path, HOME: this.folder, ...env };
  }

  async run({ script, beside, isInBackground }: Block): Promise<{ code: number | null; output: string }> {
    if (isInBackground) {
      this.#background.push(await this.#start(script));
      return { code: 0, output: '' };
    }
    const background = beside === null ? null : await this.#start(beside);
    const state = join(this.folder, '.variables');
    const whole = `touch ${state}; source ${state}; set -euo pipefail\n${this.#withPorts(script)}\nexport -p > ${state}; export -f >> ${state}`;
    const shell = spawn('bash', ['-c', whole], { cwd: this.folder, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const [code] = await once(shell, 'close');
    if (background !== null) await stop(background);
    return { code, output };
  }

  /** Ends the commands that run in the background. */
  async end(): Promise<void> {
    for (const child of this.#background.toReversed()) await stop(child);
  }

  #withPorts(script: string): string {
    return script.replaceAll(/\b40\d\d\b/g, (port) => this.#ports.get(port) ?? port);
  }

  async #start(script: string): Promise<ChildProcess> {
    // The last command replaces the shell, so that signals reach it.
    const lines = script.trimEnd().split('\n');
    const command = [...lines.slice(0, -1), `exec ${lines.at(-1)}`].join('\n');
    const child = spawn('bash', ['-c', this.#withPorts(command)], {
      cwd: this.folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${command} ended with ${code}`)));
    await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
    ended.catch(() => {});
    return child;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill();
  await closed;
}

async function freePorts(): Promise<ReadonlyMap<string, string>> {
  const entries = await Promise.all(PORTS.map(async (port) => [port, await freePort()] as const));
  return new Map(entries);
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return String(typeof address === 'object' ? address?.port : 0);
}

const databaseUrl = inject('databaseUrl');
/** HubSpot for `operate`, with the account of the documents. */
const crm = spawn(join(bin, 'svc-server'), ['simulate', 'hubspot', '--organization-id', '12345678'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [crmLine] = await once(createInterface({ input: crm.stdout }), 'line');
const crmUrl = /http:\S+/.exec(String(crmLine))?.[0] ?? '';
afterAll(() => crm.kill());

const environments: Readonly<Record<string, Record<string, string>>> = {
  demo: {},
  rehearse: {},
  others: {},
  operate: { SVC_HUBSPOT_URL: crmUrl },
  postgres: { MAINTENANCE_URL: databaseUrl ?? '', PGUSER: 'postgres' },
};

describe.each(documents.filter((file) => blocksOf(file).some(({ session }) => session !== null)))('%s', (file) => {
  const names = [...new Set(blocksOf(file).flatMap(({ session }) => session ?? []))];
  test.each(names)('the commands of "%s" work', { timeout: TIMEOUT_MS }, async (name) => {
    if (name === 'postgres' && databaseUrl === null) return expect(process.env['CI']).not.toBe('true');
    const session = new Session(await freePorts(), environments[name] ?? {});
    writeFileSync(join(session.folder, 'token.txt'), 'pat-eu1-not-a-token\n');
    try {
      for (const block of blocksOf(file)) {
        if (block.session !== name) continue;
        const { code, output } = await session.run(block);
        expect(code, `${block.script}\n${output}`).toBe(0);
      }
    } finally {
      await session.end();
    }
  });
});

/** Every `svc ...`, `svc-server ...` and `svc-mock ...` of a document, in shell blocks and inline code. */
function commandsOf(file: string): string[] {
  const lines = blocksOf(file).flatMap(({ script }) => script.replaceAll('\\\n', ' ').split('\n'));
  const inline = [
    ...read(file)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .matchAll(/`([^`\n]+)`/g),
  ].map(([, code = '']) => code);
  return [...lines, ...inline].flatMap((text) => {
    const [, command] =
      /(?:^|[|($;] ?|npx |\.bin\/|[A-Z_]+=\S+ )(svc(?:-server|-mock)? [a-z-][^|#>)]*)/.exec(text) ?? [];
    return command === undefined ? [] : [command.trim()];
  });
}

const commands = [...new Set(documents.flatMap(commandsOf))].toSorted();
const serverProgram = createProgram({ writesErrors: true });
const helps = new Map<string, Promise<string>>();
/** The help of the longest command that the words begin with. */
async function helpOf(program: string, words: readonly string[]): Promise<string> {
  const key = [program, ...words].join(' ');
  const help =
    helps.get(key) ?? printHelp(program, words).then((output) => (output?.includes(key) === true ? output : ''));
  helps.set(key, help);
  return help;
}

/** Commands that only print their help run in this process; null for a command that does not exist. */
async function printHelp(program: string, words: readonly string[]): Promise<string | null> {
  if (program === 'svc-server') {
    return findHelpSubject(serverProgram, ['help', ...words])?.helpInformation() ?? null;
  }
  if (program === 'svc') {
    const { code, stdout } = await runInProcess([...words, '--help']);
    return code === 0 ? stdout : null;
  }
  const { code, output } = await run(join(bin, program), [...words, '--help']);
  return code === 0 ? output : null;
}

test('there are commands to check', () => expect(commands.length).toBeGreaterThan(50));

test.each(commands)('%s: command and flags exist', { timeout: TIMEOUT_MS }, async (command) => {
  const [program = '', ...rest] = command.split(/\s+/);
  if (rest[0] === 'help')
    return expect(
      (
        await run(
          join(bin, program),
          rest.filter((word) => word !== 'COMMAND'),
        )
      ).code,
    ).toBe(0);
  const words = rest.slice(0, rest.findIndex((word) => !/^[a-z][a-z-]*$/.test(word)) >>> 0).slice(0, 3);
  let length = words.length;
  let help = await helpOf(program, words);
  while (help === '' && length > 0) {
    length -= 1;
    help = await helpOf(program, words.slice(0, length));
  }
  expect(help).not.toBe('');
  // The second word of `svc login work` is an argument, that of `svc syncs nonsense` no command.
  if (length < words.length) expect(help).not.toMatch(/^commands:?$/im);
  const flags = rest.flatMap((word) => /^(--[a-z-]+)/.exec(word)?.[1] ?? []).filter((flag) => flag !== '--help');
  expect(flags.filter((flag) => !help.replaceAll(/\[no-\]/g, '').includes(flag))).toEqual([]);
});
