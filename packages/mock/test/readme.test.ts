/** Runs every example of the README: commands against a real process, TypeScript as files of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../../scripts/processes.ts';
import { blocksOf } from '../../../scripts/readme-blocks.ts';
import { leaveOut } from '../../../scripts/vitest/lacking.ts';
import { controlRoutes } from '../src/control/routes.ts';
import { helpText } from '../src/options.ts';
import { SCENARIO_NAMES } from '../src/state/scenario-names.ts';
import { CONFIGURED_KINDS, LOG_KINDS } from '../src/state/world-data.ts';

const OF_MOCK = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');
/** The mock's address in the README. */
const SHOWN = 'http://127.0.0.1:4010';

let child: ChildProcess;
let url: string;
beforeAll(async () => {
  const main = join(import.meta.dirname, '../src/main.ts');
  child = spawn(process.execPath, [main, '--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface({ input: child.stdout ?? process.stdin }), 'line');
  url = String(line).replace('svc-mock is ready on ', '');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});
afterAll(() => child.kill('SIGKILL'));

/** The block of a language between `<!-- name: begin -->` and `<!-- name: end -->`, for the port of this test. */
function exampleOf(readme: string, name: string, language: string): string {
  const section = readme.split(`<!-- ${name}: begin -->`)[1]?.split(`<!-- ${name}: end -->`)[0] ?? '';
  const [block = ''] = blocksOf(section, language);
  expect(block).toContain(SHOWN);
  return block.replaceAll(SHOWN, url);
}

/** Returns whether a program can be run, for an example that CI may leave out, too. */
async function canRun(command: string, args: readonly string[], install: string): Promise<boolean> {
  if ((await run(command, args)).code === 0) return true;
  const untested = `the README's example for ${command}`;
  leaveOut(
    { what: `\`${[command, ...args].join(' ')}\``, untested, remedy: `apt-get install ${install}` },
    { mayLackInCi: true },
  );
  return false;
}
const hasPython = await canRun('python3', ['-c', 'import requests'], 'python3-requests');
const hasGo = await canRun('go', ['version'], 'golang');

describe('the quick start of other languages', { timeout: 60_000 }, () => {
  const quickStart = (language: string) => exampleOf(OF_MOCK, 'svc-mock quick start', language);

  test('shell', async () => {
    const { code, stdout, output } = await run('bash', ['-euo', 'pipefail', '-c', quickStart('sh')]);
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    for (const shown of ['"crm":"HUBSPOT"', '"osapi_demo_write":"osapi_demo_write_mine"', 'HTTP/1.1 429']) {
      expect(stdout).toContain(shown);
    }
    expect(stdout).toContain('2026-01-16T12:00:00.000Z');
    expect(stdout).toContain('"type\\":\\"sync.failed\\"');
    expect(stdout).toContain('Expected exactly 2 call(s) of operation \\"getMe\\", found 2.');
    expect((await fetch(`${url}/__svc/worlds/mine`)).status).toBe(404);
  });

  test.skipIf(!hasPython)('Python', async () => {
    const { code, output } = await run('python3', ['-c', quickStart('python')]);
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
  });

  test.skipIf(!hasGo)('Go', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-mock-go-'));
    writeFileSync(join(folder, 'main.go'), quickStart('go'));
    const { code, output } = await run('go', ['run', 'main.go'], { cwd: folder });
    rmSync(folder, { recursive: true, force: true });
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
  });
});

describe('the README of the package', () => {
  test('the control calls succeed', { timeout: 60_000 }, async () => {
    const script = exampleOf(OF_MOCK, 'control calls', 'sh');
    const { code, output } = await run('bash', ['-euo', 'pipefail', '-c', script]);
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
  });

  test('its TypeScript equals the files of test/readme, which are checked and run', () => {
    // A page's code, so it is only type-checked; `browser.long.test.ts` runs similar code.
    const ofPage = new URL('readme/browser.ts', import.meta.url);
    const folder = new URL('.', ofPage);
    const files = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
    expect(files).toContain(readFileSync(ofPage, 'utf8'));
    expect(files.length).toBeGreaterThan(5);
    expect(blocksOf(OF_MOCK, 'ts').toSorted()).toEqual(files.toSorted());
  });

  test('names every option, scenario, kind of row and control endpoint', () => {
    const prose = OF_MOCK.replaceAll(/^```[\s\S]*?^```$/gm, '');
    const named = new Set([...prose.matchAll(/`([^`]+)`/g)].flatMap(([, text = '']) => text.split(/[ =]/)));
    const options = [...helpText().matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name]) => name);
    expect(options.length).toBeGreaterThan(12);
    const paths = controlRoutes.map(({ path }) => `/__svc${path}`);
    const wanted = [...options, ...SCENARIO_NAMES, ...CONFIGURED_KINDS, ...LOG_KINDS, ...paths];
    expect(wanted.filter((name) => name !== undefined && !named.has(name))).toEqual([]);
  });
});
