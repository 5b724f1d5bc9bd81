import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../../scripts/build.ts';
import { type MockService, startMockService } from './support/mock-service.ts';
import { runInProcess } from './support/run-in-process.ts';
import { buildCli, cliEnvironment, collectResult, runCli, spawnCli } from './support/run-cli.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());

describe('openapi', () => {
  test('prints JSON, YAML or a part of it, without a key', async () => {
    const env = { SVC_API_KEY: '' };
    const json = await service.run(['openapi'], { env });
    expect([json.code, json.stderr]).toEqual([0, '']);
    expect(JSON.parse(json.stdout)).toMatchObject({ openapi: '3.1.0', paths: { '/api/v1/me': {} } });
    expect((await service.run(['openapi', '--json'], { env })).stdout).toBe(json.stdout);
    const yaml = await service.run(['openapi', '--yaml'], { env });
    expect(yaml.stdout).toMatch(/^openapi: 3\.1\.0$/m);
    expect((await service.run(['openapi', '--jq', '.paths | length'], { env })).stdout).toMatch(/^\d+\n$/);
  });

  test('exits with 8 without a service and with 2 for --yaml --json', async () => {
    const noService = { SVC_BASE_URL: 'http://127.0.0.1:9' };
    for (const more of [[], ['--json'], ['--yaml']]) {
      const { code, stdout } = await runInProcess(['openapi', '--max-retries', '0', ...more], { env: noService });
      expect([code, stdout]).toEqual([8, '']);
    }
    const both = await service.svc('openapi', '--yaml', '--json');
    expect([both.code, both.stdout, JSON.parse(both.stderr).error.code]).toEqual([2, '', 'usage']);
  });
});

describe('commands', () => {
  test('lists summaries, and all details in JSON', async () => {
    const { code, stdout } = await runInProcess(['commands', '--format', 'table']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^COMMAND +SUMMARY\napi METHOD \[PATH\] +Call any path/);
    expect(stdout).toMatch(/^syncs get ID +Show one sync/m);
    const rows = JSON.parse((await runInProcess(['commands', '--json'])).stdout);
    const get = rows.find(({ command }: { command: string }) => command === 'syncs get');
    expect(get).toMatchObject({
      args: [{ name: 'id', description: 'Id of the sync', required: true }],
      examples: [{ description: 'One sync', command: 'svc syncs get 700123' }, {}],
    });
    expect(get.flags).toContainEqual({
      name: 'timeout',
      char: null,
      description: 'Time limit of one attempt, such as 30s or 2m; a number is in seconds',
      type: 'option',
      required: false,
      multiple: false,
      options: null,
      default: 30,
    });
    expect((await runInProcess(['commands', '--fields', 'nope', '--json'])).code).toBe(2);
  });
});

describe('mock start', () => {
  beforeAll(async () => {
    await build({ packages: ['mock'], quiet: true });
  });

  test('runs until Ctrl-C, with the options of svc-mock', async () => {
    const child = spawnCli(['mock', 'start', '--port', '0', '--now', '2026-01-15T12:00:00Z']);
    const result = collectResult(child);
    const [line] = await once(child.stdout ?? child, 'data');
    const url = /^svc-mock is ready on (http:\S+)\n$/.exec(String(line))?.[1] ?? '';
    const me = await runCli(['whoami', '--json'], { server: { url, apiKey: 'osapi_demo_read' } });
    expect(me.code).toBe(0);
    child.kill('SIGINT');
    expect(await result).toMatchObject({ code: 130, stdout: line });
    expect((await runCli(['health'], { server: { url } })).code).toBe(8);
  });

  test('passes help and flags on', async () => {
    const help = await runCli(['mock', 'start', '--', '--help']);
    expect([help.code, help.stdout]).toEqual([0, expect.stringMatching(/^Usage: svc-mock [^]*--scenario/)]);
    expect(await runCli(['mock', 'start', '--nope'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('says how to install the mock', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-alone-'));
    const packageFolder = fileURLToPath(new URL('..', import.meta.url));
    for (const name of ['bin', 'dist', 'package.json', 'oclif.manifest.json']) {
      cpSync(join(packageFolder, name), join(folder, name), { recursive: true });
    }
    const run = (...argv: string[]) =>
      collectResult(
        spawn(process.execPath, [join(folder, 'bin', 'run.js'), 'mock', 'start', ...argv], {
          env: cliEnvironment(),
          cwd: folder,
        }),
      );
    expect(await run()).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'Error: @svc/mock is not installed\n  Install it as you installed svc: npm install --global ./svc-mock-*.tgz\n',
    });
    expect(JSON.parse((await run('--json')).stderr).error).toMatchObject({ code: 'mock_not_installed' });

    // The mock is found in the project of the current folder.
    const mock = join(folder, 'node_modules', '@svc', 'mock');
    mkdirSync(mock, { recursive: true });
    writeFileSync(join(mock, 'package.json'), '{"type":"module","bin":{"svc-mock":"./x.js"}}');
    writeFileSync(join(mock, 'x.js'), 'console.log(JSON.stringify(process.argv.slice(2)))');
    expect(await run('--port', '1')).toMatchObject({ code: 0, stdout: '["--port","1"]\n' });
  });
});
