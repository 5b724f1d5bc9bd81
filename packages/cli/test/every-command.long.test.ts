/**
 * Runs every command against `svc-mock`: each case piped, in this process, and with `--json`; and as a process with stdin closed and in a
 * terminal the cases whose result may depend on that (`EVERY_WAY`).
 * `adding-a-command.test.ts` fails for a command without cases.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWebhookHeaders } from '@svc/sdk/webhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../../scripts/build.ts';
import { type CommandCase, type StdoutKind, SIGNING_SECRET } from './support/command-case.ts';
import { COMMAND_CASES } from './support/command-cases.ts';
import { hasScript, runInWay, WAYS, type Way } from './support/command-ways.ts';
import { NOW } from './support/mock-service.ts';
import { buildCli, type CliResult, cliEnvironment } from './support/run-cli.ts';

const SVC_MOCK = fileURLToPath(new URL('../../mock/bin/svc-mock.js', import.meta.url));
const ESCAPE = '\u001b';
const ways = hasScript() ? WAYS : WAYS.filter((way) => way !== 'terminal');

/**
 * The cases that run in every way: of each command the first success; of each exit code its first case, because all failures are printed
 * by the same code; and what reads stdin, asks, waits for Ctrl-C or becomes another program.
 */
const EVERY_WAY = new Set(
  Object.values(COMMAND_CASES).flatMap((cases) => {
    const concernsStdin = ({ exceptions, stdin, keyOnStdin, prompt, until, isOtherProgram }: CommandCase) =>
      [exceptions, stdin, keyOnStdin, prompt, until, isOtherProgram].some((value) => value !== undefined);
    return [...cases.filter(concernsStdin), ...cases.filter(({ code }) => code === 0).slice(0, 1)];
  }),
);
for (const code of new Set(Object.values(COMMAND_CASES).flatMap((cases) => cases.map((each) => each.code)))) {
  const [first] = Object.values(COMMAND_CASES).flatMap((cases) => cases.filter((each) => each.code === code));
  if (first !== undefined) EVERY_WAY.add(first);
}

let url = '';
const mock = { end: async () => {} };

beforeAll(async () => {
  await buildCli();
  if (!(await build({ packages: ['mock'], quiet: true }))) throw new Error('packages/mock could not be built');
  const child = spawn(process.execPath, [SVC_MOCK, '--port', '0', '--now', NOW], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  mock.end = async () => {
    child.kill();
    await once(child, 'close');
  };
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  url = /http:\S+/.exec(line)?.[0] ?? '';
});
afterAll(() => mock.end());

describe.each(Object.entries(COMMAND_CASES))('%s', (id, cases) => {
  test.concurrent.each(cases.map((each) => [nameOf(each), each] as const))(
    '%s',
    { timeout: 600_000 },
    async (_name, each) => {
      for (const isJson of [false, true]) {
        const seen: string[] = [];
        for (const way of waysOf(each, isJson)) {
          const { result, ...made } = await run(id, each, way, isJson);
          const expected = expectation(each, way, isJson);
          try {
            assertResult(result, expected, { way, isJson });
          } catch (error) {
            throw new Error(`${way}${isJson ? ' --json' : ''}: ${JSON.stringify(result)}`, { cause: error });
          }
          const isComparable = way !== 'terminal' && each.exceptions?.[way] === undefined && each.isVolatile !== true;
          if (isComparable) seen.push(normalize(result, made));
        }
        // A closed stdin and a pipe give the same result.
        expect(new Set(seen).size).toBeLessThanOrEqual(1);
      }
    },
  );
});

/** What the kind of stdin changes shows without `--json` too, so one is enough where it changes nothing. */
function waysOf(each: CommandCase, isJson: boolean): readonly Way[] {
  const isOne = isJson ? each.exceptions === undefined : !EVERY_WAY.has(each);
  return isOne ? ['piped'] : ways;
}

function nameOf({ words, code, key, stdin, world, unreadStdin, hasProfiles }: CommandCase): string {
  const more = { key, stdin, world, unreadStdin, hasProfiles };
  const with_ = Object.values(more).some((value) => value !== undefined) ? ` ${JSON.stringify(more)}` : '';
  return `${code}: ${words}${with_}`;
}

interface Expectation {
  readonly code: number;
  readonly out: StdoutKind;
  readonly each: CommandCase;
}

function expectation(each: CommandCase, way: Way, isJson: boolean): Expectation {
  const usual = (isJson ? each.jsonCode : undefined) ?? each.code;
  const code = each.exceptions?.[way] ?? usual;
  return { code, out: outputOf(each, code), each };
}

/** Returns the expected stdout; `out` of a case describes its successful runs. */
function outputOf({ code: usual, exceptions, out, until }: CommandCase, code: number): StdoutKind {
  if (code === 0) return out ?? (until === undefined ? 'document' : 'lines');
  const isDoneElsewhere = Object.values(exceptions ?? {}).includes(0);
  return code === usual && !isDoneElsewhere ? (out ?? 'nothing') : 'nothing';
}

function assertResult(
  result: CliResult,
  expected: Expectation,
  { way, isJson }: { readonly way: Way; readonly isJson: boolean },
): void {
  const { code, out, each } = expected;
  expect(result.code).toBe(code);
  if (way !== 'terminal') {
    expect(result.stdout + result.stderr).not.toContain(ESCAPE);
    if (isJson) assertJson(result, expected);
    else assertText(result, expected);
  } else if (isJson) assertJson(splitScreen(result.stdout, each), expected);
  else if (out === 'nothing') expect(result.stdout).toMatch(each.isOtherProgram === true ? /./ : /Error: /);
}

function assertText({ stdout, stderr }: CliResult, { out, each }: Expectation): void {
  if (out === 'nothing') {
    expect(stdout).toBe('');
    return expect(stderr).toMatch(each.isOtherProgram === true ? /./ : /^Error: /);
  }
  if (each.isOtherProgram === true) return;
  // The last value of a row or record may be empty.
  if (out === 'document') expect(stdout).toMatch(/[\S\t]\n?$/);
  if (out === 'JSON only' || out === 'empty list') expect(stdout).toBe('');
  if (out === 'empty list') expect(stderr).toMatch(/\S\n$/);
  else if (each.until !== undefined) expect(stderr).not.toContain('Error');
  else if (each.notice === undefined) expect(stderr).toBe('');
  if (each.notice !== undefined) expect(stderr.trimEnd()).toMatch(each.notice);
}

function assertJson({ stdout, stderr }: Pick<CliResult, 'stdout' | 'stderr'>, { out, each }: Expectation): void {
  if (each.isOtherProgram === true) return;
  const documents = out === 'lines' ? stdout.split('\n').filter((line) => line !== '') : [stdout];
  if (out === 'nothing') expect(stdout).toBe('');
  else for (const document of documents) expect(() => JSON.parse(document)).not.toThrow();
  if (out === 'empty list') expect(JSON.parse(stdout)).toEqual([]);

  const lines = stderr.split('\n').filter((line) => line !== '');
  expect(() => lines.map((line) => JSON.parse(line))).not.toThrow();
  const notes: Record<string, unknown>[] = lines.map((line) => JSON.parse(line));
  const errors = notes.filter((note) => 'error' in note);
  const others = notes.filter((note) => !('error' in note));
  expect(errors).toHaveLength(out === 'nothing' || each.until !== undefined ? 1 : 0);
  if (each.note !== undefined && out !== 'nothing') {
    expect(others).toEqual([expect.objectContaining({ note: expect.stringMatching(each.note) })]);
  } else if (each.until === undefined) expect(others).toEqual([]);
}

/** Separates the lines of a screen: errors and notes were written to stderr. */
function splitScreen(screen: string, { prompt }: CommandCase): Pick<CliResult, 'stdout' | 'stderr'> {
  const lines = screen
    .split('\n')
    .map((line) => line.replace(/^\^[CD](\b\b)?/, ''))
    .filter((line) => line !== '' && prompt?.question.test(line) !== true);
  const isOfStderr = (line: string) => /^\{"(error|note|listening)":/.test(line);
  return {
    stdout: lines.filter((line) => !isOfStderr(line)).join('\n'),
    stderr: lines.filter(isOfStderr).join('\n'),
  };
}

interface World {
  readonly id: string;
  readonly keys: Readonly<Record<string, string>>;
}

/** Runs a case in a world and a folder of its own. */
async function run(id: string, each: CommandCase, way: Way, isJson: boolean) {
  const world = await createWorld(each);
  const folder = mkdtempSync(join(tmpdir(), 'svc-every-command-'));
  const keyOf = (name: string | null) => (name === null ? '' : (world.keys[name] ?? name));
  const apiKey = keyOf(each.key === undefined ? 'osapi_demo_write' : each.key);
  const env = cliEnvironment({ server: { url, apiKey }, env: { SVC_CONFIG_DIR: join(folder, 'config'), ...each.env } });
  await arrange(folder, each, keyOf('osapi_demo_write'));
  const typed = keyOf(each.keyOnStdin ?? null);
  const { prompt } = each;
  const argv = [
    ...id.split(':'),
    ...each.words.split(' ').filter((word) => word !== ''),
    ...(isJson ? ['--json'] : []),
  ];
  const result = await runInWay(way, argv, {
    ...{ env, cwd: folder, until: each.until, unreadStdin: each.unreadStdin, isOtherProgram: each.isOtherProgram },
    stdin: each.stdin ?? (typed === '' ? undefined : `${typed}\n`),
    prompt: prompt && { ...prompt, typed: prompt.typed.replace('{key}', typed) },
  });
  await control('DELETE', `/worlds/${world.id}`);
  return { result, world: world.id, folder };
}

async function createWorld({ world = {} }: CommandCase): Promise<World> {
  const { runs = false, ...more } = world;
  const response = await control('POST', '/worlds', { now: runs ? null : NOW, ...more });
  return (await response.json()) as World;
}

async function control(method: string, path: string, body?: object): Promise<Response> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(`${url}/__svc${path}`, init);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** Creates the files that the cases use. */
async function arrange(folder: string, { hasProfiles }: CommandCase, apiKey: string): Promise<void> {
  const payload = '{"id":"osevt_1","type":"test.ping","created":"2026-01-15T12:00:00Z","summary":"Ping","data":{}}';
  writeFileSync(join(folder, 'event.json'), payload);
  writeFileSync(join(folder, 'contacts.csv'), 'email\nbounced@example.com\n');
  const cassette = { format: 'svc-mock cassette', version: 1, ignoreQuery: [], redactEmails: false, interactions: [] };
  writeFileSync(join(folder, 'cassette.json'), JSON.stringify(cassette));
  writeFileSync(join(folder, 'doubtful.csv'), 'email\nbounced@example.com\nnobody\n');
  const signed = { payload, secret: SIGNING_SECRET, timestampSeconds: Date.parse(NOW) / 1000 };
  writeFileSync(join(folder, 'headers.txt'), JSON.stringify(await createWebhookHeaders(signed)));
  if (hasProfiles !== true) return;
  const profile = { apiKey, baseUrl: url };
  mkdirSync(join(folder, 'config'));
  writeFileSync(
    join(folder, 'config', 'profiles.json'),
    JSON.stringify({ active: 'other', profiles: { staging: profile, other: profile } }),
  );
}

/** Returns the output without the names of folder, world and request. */
function normalize(
  { stdout, stderr }: CliResult,
  { world, folder }: { readonly world: string; readonly folder: string },
): string {
  return `${stdout}\n${stderr}`
    .replaceAll(folder, 'FOLDER')
    .replaceAll(world, 'WORLD')
    .replaceAll(/"requestId": ?"[^"]*"|Request id: .*/g, 'REQUEST');
}
