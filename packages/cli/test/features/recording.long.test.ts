/** `svc mock record` and `svc mock replay`: commands run against a service, then against the recording of it. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build } from '../../../../scripts/build.ts';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli, type CliResult, collectResult, spawnCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;
let folder: string;
beforeAll(async () => {
  await buildCli();
  await build({ packages: ['mock'], quiet: true });
  service = await startMockService({}, runInProcess);
  folder = mkdtempSync(join(tmpdir(), 'svc recording '));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

async function start(...argv: string[]) {
  const child = spawnCli(['mock', ...argv, '--port', '0']);
  const result = collectResult(child);
  const [line] = await once(child.stdout ?? child, 'data');
  const url = /^svc-mock is ready on (http:\S+)\n$/.exec(String(line))?.[1] ?? '';
  return {
    url,
    async stop() {
      child.kill('SIGINT');
      return result;
    },
  };
}

const COMMANDS = [
  ['whoami', '--json'],
  ['status', '--json'],
  ['sources', 'list', '--json'],
  ['syncs', 'list', '--from', '2026-01-10', '--to', '2026-01-15', '--limit', '5'],
  ['syncs', 'export', '--from', '2026-01-01', '--to', '2026-01-15', '--format', 'csv', '--output', '-'],
  ['syncs', 'get', '999999'],
];

test('commands print the same with the recording as with the service', async () => {
  const cassette = join(folder, 'cassette.json');
  const recorder = await start('record', '--upstream', service.url, '--output', cassette);
  const recorded: CliResult[] = [];
  for (const argv of COMMANDS) {
    recorded.push(await runInProcess(argv, { server: { url: recorder.url, apiKey: service.apiKey } }));
  }
  const ended = await recorder.stop();
  expect([ended.code, ended.stderr]).toEqual([
    0,
    expect.stringMatching(/\nRecorded \d+ answers in .*cassette\.json\.\n$/),
  ]);
  const text = readFileSync(cassette, 'utf8');
  expect(text).not.toContain(service.apiKey);

  const replay = await start('replay', cassette);
  const replayed: CliResult[] = [];
  for (const argv of COMMANDS)
    replayed.push(await runInProcess(argv, { server: { url: replay.url, apiKey: 'osapi_any' } }));
  const missed = await runInProcess(['connections', 'list'], { server: { url: replay.url, apiKey: 'osapi_any' } });
  expect((await replay.stop()).code).toBe(130);

  expect(recorded.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 3]);
  for (const [index, result] of recorded.entries()) {
    expect(shown(replayed[index], replay.url)).toEqual(shown(result, recorder.url));
  }
  expect([missed.code, missed.stderr]).toEqual([
    8,
    expect.stringContaining('The cassette has no answer for GET /api/v1/connections.'),
  ]);
}, 600_000);

/** What was printed, without what a recording redacts: addresses, paths of URLs and request ids. */
function shown(result: CliResult | undefined, url: string): object {
  const plain = (text = '') =>
    text
      .replaceAll(url, 'URL')
      .replaceAll(/webhooks\/[\w/-]+/g, 'webhooks/CODE')
      .replaceAll(/(https:\/\/[\w.-]+)\/[^\s"]*/g, '$1/...')
      .replaceAll(/[\da-f]{8}-[\da-f-]{27}|\brecorded\b/g, 'ID');
  return { code: result?.code, stdout: plain(result?.stdout), stderr: plain(result?.stderr) };
}
