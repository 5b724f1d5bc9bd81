/** Runs the samples of docs/automation.md against the mock, as cron, systemd and GitHub Actions would. */
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root, run, type RunResult } from '../../../../scripts/processes.ts';
import { blocksOf } from '../../../../scripts/readme-blocks.ts';
import { hasProgram } from '../../../../scripts/vitest/lacking.ts';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { BIN, buildCli } from '../support/run-cli.ts';

const DOCUMENT = readFileSync(join(root, 'docs/automation.md'), 'utf8');
const SAMPLES = join(root, 'docs/samples');
const sample = (name: string) => readFileSync(join(SAMPLES, name), 'utf8');
const VERSION = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')).version as string;

let service: MockService;
/** Contains `bin`, the only folder with `svc`, and serves as home and workspace. */
let folder: string;

beforeAll(async () => {
  await buildCli();
  // `yesterday` is a day of the real clock.
  service = await startMockService({ now: new Date().toISOString() });
});
afterAll(() => service.close());

beforeEach(async () => {
  service.mock.reset();
  // Resyncs in progress in the demo world end after an hour.
  await service.mock.clock.advance('2h');
  service.mock.configure({ blocklistFetchMs: 100, blocklistPushMs: 100 });
  service.mock.clock.resume();
  service.mock.journal.clear();
  folder = mkdtempSync(join(tmpdir(), 'svc-samples-'));
  mkdirSync(join(folder, 'bin'));
  writeProgram('svc', `exec '${process.execPath}' '${BIN}' "$@"`);
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeProgram(name: string, text: string): void {
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

/** Runs a command line with no more variables than a scheduler sets. */
function shell(script: string, env: Readonly<Record<string, string>> = {}, shellName = 'sh'): Promise<RunResult> {
  const path = `${join(folder, 'bin')}:${process.env.PATH}`;
  const clean = ['-i', `HOME=${folder}`, `PATH=${path}`, ...Object.entries(env).map((entry) => entry.join('='))];
  return run('env', [...clean, shellName, '-e', '-c', script], { cwd: folder });
}

const withService = (text: string, apiKey = service.apiKey) =>
  text.replace('https://sync.example.com', service.url).replace('osapi_...', apiKey);

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

/** Checks that the export of yesterday, or the first of exports of so many days, has rows. Returns its file. */
function checkExport(directory: string, days = 1): string {
  const [file = 'no file', ...others] = globSync(join(directory, 'syncs-*.csv.gz'));
  expect(others.slice(days - 1)).toEqual([]);
  expect(gunzipSync(readFileSync(file)).toString().split('\n').length).toBeGreaterThan(3);
  return file;
}

// macOS and Windows have no flock.
describe.skipIf(process.platform !== 'linux')('cron', () => {
  const section = DOCUMENT.split('<!-- cron: begin -->')[1]?.split('<!-- cron: end -->')[0] ?? '';
  const [setUp = ''] = blocksOf(section, 'sh');
  const [environment = ''] = blocksOf(section, 'ini');
  const lines = sample('svc.crontab')
    .split('\n')
    .filter((line) => /^[\d*]/.test(line));
  /** Returns the command of the line for this job. */
  const commandOf = (name: string) =>
    lines.map((line) => line.split(/\s+/).slice(5).join(' ')).find((line) => line.startsWith(`svc-job ${name} `)) ??
    `no line of ${name}`;
  const jobs = () => join(folder, 'svc-jobs');

  beforeEach(async () => {
    expect(await shell(setUp)).toMatchObject({ code: 0, output: '' });
    writeFileSync(join(jobs(), 'env'), withService(environment));
    copyFileSync(join(SAMPLES, 'svc-job'), join(folder, 'bin/svc-job'));
  });

  test('the key is readable by its owner only, and so is what the jobs write', async () => {
    expect([modeOf(jobs()), modeOf(join(jobs(), 'env')), lines.length]).toEqual(['700', '600', 3]);
    await shell(commandOf('status'));
    expect(modeOf(join(jobs(), 'status.log'))).toBe('600');
  });

  test('resync: prints nothing after a success, although lists were skipped', async () => {
    expect(await shell(commandOf('resync'))).toMatchObject({ code: 0, output: '' });
    const log = readFileSync(join(jobs(), 'resync.log'), 'utf8');
    expect(log).toMatch(/^1 +Customers +synced/m);
    expect(log).toMatch(/^6 .*skipped .*no CRM source/m);
  });

  test('resync: says what failed', async () => {
    service.mock.configure({ crmFailures: [{ status: 'error', error: { httpStatus: 403, message: 'no scope' } }] });
    const { code, stdout, stderr } = await shell(commandOf('resync'));
    expect([code, stdout]).toEqual([9, '']);
    expect(stderr).toMatch(
      /^svc blocklists resync --all .*: something is not ready, or every resync failed \(exit code 9\)$/m,
    );
    expect(stderr).toMatch(/^1 +Customers +failed .*no scope/m);
  });

  test('export: one file for yesterday, also when it is repeated', async () => {
    const day = new Date().getUTCDate();
    for (const _again of [1, 2]) {
      expect(await shell(commandOf('export'))).toMatchObject({ code: 0, output: '' });
      // After midnight yesterday is another day, with a file of its own.
      expect(modeOf(checkExport(jobs(), day === new Date().getUTCDate() ? 1 : 2))).toBe('600');
    }
  });

  test('status: says which connection is not ready', async () => {
    const { code, stderr } = await shell(commandOf('status'));
    expect(code).toBe(9);
    expect(stderr).toContain(
      'svc status --exit-code: something is not ready, or every resync failed (exit code 9)\nNot ready',
    );
  });

  test('a wrong key', async () => {
    writeFileSync(join(jobs(), 'env'), withService(environment, 'osapi_wrong'));
    const { code, stderr } = await shell(commandOf('resync'));
    expect(code).toBe(4);
    expect(stderr).toContain('the key is missing or not valid (exit code 4)');
  });

  test('a key without write scope', async () => {
    writeFileSync(join(jobs(), 'env'), withService(environment, service.mock.keys.osapi_demo_read));
    const { code, stderr } = await shell(commandOf('resync'));
    expect(code).toBe(5);
    expect(stderr).toMatch(/: the key lacks a permission \(exit code 5\)$/m);
    expect(stderr).toMatch(/^1 +Customers +refused .*"write" scope/m);
  });

  test('a job that still runs is not started again', async () => {
    const { code, stderr } = await shell(`exec 8>svc-jobs/resync.lock; flock 8; ${commandOf('resync')}`);
    expect([code, stderr]).toEqual([75, 'svc-job: the last run of resync has not ended\n']);
    expect(service.mock.journal.all()).toEqual([]);
  });

  test.each([
    [
      'a missing env file',
      'rm svc-jobs/env; svc-job status status',
      1,
      /env is missing; it holds SVC_BASE_URL and SVC_API_KEY/,
    ],
    ['no arguments', 'svc-job', 2, /^usage: svc-job NAME ARGS/],
    ['a name without arguments', 'svc-job status', 2, /^usage: svc-job NAME ARGS/],
    [
      'a missing folder',
      'rm -r svc-jobs; svc-job status status',
      2,
      /^svc-job: there is no folder .*Run: mkdir -m 700/,
    ],
  ])('%s is an error that says so', async (_name, script, code, message) => {
    const result = await shell(script);
    expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(message)]);
  });

  test('a key that others can read is not used', async () => {
    chmodSync(join(jobs(), 'env'), 0o640);
    const { code, stderr } = await shell(commandOf('resync'));
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Run: chmod 600 ${jobs()}/env`)]);
    expect(service.mock.journal.all()).toEqual([]);
  });
});

describe('systemd', async () => {
  const units = ['svc-resync.service', 'svc-resync.timer', 'svc-nightly.service', 'svc-nightly.timer'];
  const hasSystemd = hasProgram('systemd-analyze', 'the systemd units of docs/samples', { install: 'systemd' });

  /** Returns the values of a setting, in order. */
  const settings = (unit: string, name: string) =>
    [...sample(unit).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  test.skipIf(!hasSystemd)('systemd accepts the units', async () => {
    for (const unit of units) {
      const text = sample(unit).replaceAll('ExecStart=svc ', `ExecStart=${join(folder, 'bin/svc')} `);
      writeFileSync(join(folder, unit), text);
    }
    const { code, output } = await run(
      'systemd-analyze',
      ['verify', '--man=no', ...units.map((unit) => join(folder, unit))],
      { env: { SYSTEMD_UNIT_PATH: `${folder}:` } },
    );
    const problems = output.split('\n').filter((line) => line.includes(folder) || line.includes('svc-'));
    expect([code, problems]).toEqual([0, []]);
  });

  test('every line is a section, a setting or a comment', () => {
    for (const unit of units) {
      const odd = sample(unit)
        .split('\n')
        .filter((line) => !/^(?:\[\w+\]|[A-Z]\w*=.+|#.*|)$/.test(line));
      expect([unit, odd]).toEqual([unit, []]);
    }
  });

  test.each(['svc-resync', 'svc-nightly'])('%s is oneshot, has a timer, and reads the key from a file', (name) => {
    const service = `${name}.service`;
    expect([settings(service, 'Type'), settings(service, 'EnvironmentFile')]).toEqual([['oneshot'], ['/etc/svc/env']]);
    expect(sample(service)).not.toContain('osapi_');
    expect(settings(`${name}.timer`, 'OnCalendar')).toEqual([expect.stringMatching(/^\*-\*-\* \d\d:\d\d:00$/)]);
  });

  /** Runs the commands of a unit with the variables of the environment file. Returns the exit codes. */
  async function start(unit: string): Promise<number[]> {
    const codes: number[] = [];
    for (const command of settings(unit, 'ExecStart')) {
      const { code } = await shell(command, { SVC_BASE_URL: service.url, SVC_API_KEY: service.apiKey });
      codes.push(code);
    }
    return codes;
  }

  test('svc-resync.service resyncs; a resync that takes longer is no failure', async () => {
    expect(await start('svc-resync.service')).toEqual([0]);
    expect(service.mock.journal.find({ operation: 'resyncBlocklist' }).length).toBeGreaterThan(4);
    expect(settings('svc-resync.service', 'SuccessExitStatus')).toEqual(['11']);
  });

  test('svc-nightly.service exports and checks the status', async () => {
    expect(await start('svc-nightly.service')).toEqual([0, 9]);
    checkExport(folder);
  });
});

describe('GitHub Actions', () => {
  interface Step {
    readonly name?: string;
    readonly uses?: string;
    readonly with?: Readonly<Record<string, unknown>>;
    readonly env?: Readonly<Record<string, string>>;
    readonly run?: string;
  }
  interface Workflow {
    readonly permissions: object;
    readonly concurrency: string;
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
  }
  const workflow: Workflow = parse(sample('svc-nightly.yml'));
  const steps = (job: string) => workflow.jobs[job]?.steps ?? [];

  /** Runs all commands of a job in order, as the runner does. */
  async function runJob(job: string): Promise<Record<string, RunResult>> {
    // Only the install of the tarball that `npm run release` writes for this version makes svc available.
    const svc = join(folder, 'bin/svc');
    writeProgram('npm', `[ "$*" = 'install --global ./svc-cli-${VERSION}.tgz' ] && mv '${svc}.hidden' '${svc}'`);
    await run('mv', [svc, `${svc}.hidden`]);
    const values: Readonly<Record<string, string>> = {
      'vars.SVC_BASE_URL': service.url,
      'secrets.SVC_WRITE_KEY': service.apiKey,
      'secrets.SVC_READ_KEY': service.mock.keys.osapi_demo_read ?? '',
    };
    const results: Record<string, RunResult> = {};
    for (const { run: script, name, env = {} } of steps(job)) {
      if (script === undefined) continue;
      const given = Object.entries(env).map(([key, value]) => [
        key,
        value.replace(/^\$\{\{ ([\w.]+) \}\}$/, (_all, path: string) => values[path] ?? `no ${path}`),
      ]);
      const files = { GITHUB_STEP_SUMMARY: join(folder, 'summary.md') };
      results[name ?? script] = await shell(script, { ...Object.fromEntries(given), ...files }, 'bash');
    }
    return results;
  }

  test('reads only, no overlap, pinned actions, and keys only in the steps that need them', () => {
    expect([workflow.permissions, workflow.concurrency]).toEqual([{ contents: 'read' }, 'svc-nightly']);
    const all = Object.keys(workflow.jobs).flatMap(steps);
    for (const { uses } of all) if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
    const withoutEnv = JSON.stringify({ ...workflow, jobs: all.map(({ env: _env, ...step }) => step) });
    expect(withoutEnv).not.toContain('secrets.');
    const withKey = all.filter(({ env }) => env?.['SVC_API_KEY'] !== undefined);
    expect(withKey.map((step) => step.run?.includes('svc '))).toEqual([true, true, true]);
  });

  test('resync', async () => {
    const results = Object.values(await runJob('resync'));
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toMatch(/^```\nID .*\n1 +Customers +synced[\s\S]*```\n$/);
  });

  test('resync: a failed list fails the job', async () => {
    service.mock.configure({ crmFailures: [{ status: 'error', error: { httpStatus: 403, message: 'no scope' } }] });
    const result = (await runJob('resync'))['Resync all block lists'];
    expect([result?.code, result?.stdout]).toEqual([9, expect.stringContaining('::error::')]);
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('no scope');
  });

  test('export and status check, with a read-only key', async () => {
    const results = Object.values(await runJob('export'));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 9]);
    const upload = steps('export').find(({ uses }) => uses?.includes('upload-artifact'));
    expect(globSync(join(folder, String(upload?.with?.['path'])))).toEqual([checkExport(folder)]);
  });
});
