/** Exports to one file that run at the same time. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSyncLog, NOW_MS } from '../support/contract-answers.ts';
import { type ContractServer, refusal, startContractServer } from '../support/contract-server.ts';
import { buildCli, collectResult, spawnCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

const DAY = 24 * 60 * 60 * 1000;
const RANGE = ['--from', new Date(NOW_MS - 40 * DAY).toISOString(), '--to', new Date(NOW_MS).toISOString()];
const ME_PATH = '/api/v1/me';
const SYNCS_PATH = '/api/v1/syncs';

let server: ContractServer;
beforeAll(async () => {
  await buildCli();
  server = await startContractServer({ syncs: createSyncLog(3000, NOW_MS, 40 * DAY) });
});
afterAll(() => server.close());

test('of two that resume, the second changes nothing, and only after a killed one the next continues', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc at once '));
  const svc = (...argv: string[]) =>
    runInProcess(['syncs', 'export', '-o', 'rows.csv', ...argv], { server, cwd: folder });
  const contents = () =>
    readdirSync(folder)
      .filter((name) => !name.endsWith('.svc-lock'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  expect((await svc(...RANGE)).code).toBe(0);
  const whole = readFileSync(join(folder, 'rows.csv'), 'utf8');

  let pages = 0;
  server.reactions.set(SYNCS_PATH, () => (++pages > 3 ? refusal(403, 'no more') : null));
  expect((await svc(...RANGE)).code).toBe(5);
  const interrupted = contents();
  // The first has read the state of the export, and waits for the service.
  server.requests.length = 0;
  server.reactions.set(ME_PATH, refusal(429, 'wait', { 'retry-after': '60' }));
  const first = spawnCli(['syncs', 'export', '-o', 'rows.csv', '--resume'], { server, cwd: folder });
  const result = collectResult(first);
  await expect.poll(() => server.requests).toEqual([`GET ${ME_PATH}`]);
  server.reactions.clear();
  for (const flags of [['--resume'], [...RANGE, '--restart'], RANGE]) {
    expect(await svc(...flags)).toMatchObject({
      code: 6,
      stderr: `Error: Process ${first.pid} is exporting to rows.csv\n  Wait until it has finished, or stop it.\n`,
    });
  }
  expect(contents()).toEqual(interrupted);

  first.kill('SIGKILL');
  await result;
  expect((await svc('--resume')).code).toBe(0);
  expect(contents()).toEqual([['rows.csv', whole]]);
  expect(readdirSync(folder)).toEqual(['rows.csv']);
});
