/** Exports that are killed at random moments and resumed have the same bytes as uninterrupted ones. */
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sized } from '../../../../scripts/vitest/size.ts';
import { type LogServer, startLogServer } from '../support/log-server.ts';
import { buildCli, collectResult, spawnCli } from '../support/run-cli.ts';

const FORMS = [
  ['rows.csv'],
  ['rows.ndjson'],
  ['rows.json'],
  ['rows.csv.gz'],
  ['rows.ndjson.gz'],
  ['rows.json.gz'],
  ['rows.parquet'],
  ['rows.csv', '--split', 'day'],
  ['rows.json.gz', '--split', 'month'],
  ['rows.parquet', '--split', 'day', '--fields', 'id,createdAt,error.code'],
] as const;

/** Each form once. */
const EXPORTS = sized(FORMS.length);
const ROWS = 10_000;
const LONG_ROWS = sized(60_000);
const KILLS = 4;

beforeAll(() => buildCli());

/** Returns moments from 0 to 1, spread evenly (by the golden ratio) and the same each time. */
function createMoments(seed: number): () => number {
  let count = seed;
  return () => (count++ * 0.618_034) % 1;
}

async function hashFiles(folder: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    hashes[name] = hash.digest('hex');
  }
  return hashes;
}

const start = (log: LogServer, folder: string, form: readonly string[]) => {
  const [output = '', ...flags] = form;
  return spawnCli(['syncs', 'export', ...log.range, '--output', output, ...flags, '--resume'], {
    server: log,
    cwd: folder,
    timeoutMs: 600_000,
  });
};

async function runWhole(log: LogServer, form: readonly string[]): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-whole-'));
  expect(await collectResult(start(log, folder, form))).toMatchObject({ code: 0 });
  const hashes = await hashFiles(folder);
  rmSync(folder, { recursive: true });
  return hashes;
}

/** @returns how many kills hit a running export, and the hashes of the final files */
async function runKilled(
  log: LogServer,
  form: readonly string[],
  pages: number,
  random: () => number,
): Promise<{ kills: number; hashes: Record<string, string> }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-killed-'));
  let kills = 0;
  for (let attempt = 0; attempt < KILLS; attempt += 1) {
    const child = start(log, folder, form);
    const ended = collectResult(child);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    // Some pages later, at a random point between two pages, or after the last.
    const target = log.pagesRequested() + Math.floor((random() * pages * 1.3) / KILLS);
    const delayMs = random() * 12;
    while (!isOver && log.pagesRequested() < target) await setTimeout(1);
    await setTimeout(delayMs);
    child.kill('SIGKILL');
    const { code, signal, stderr } = await ended;
    if (signal === 'SIGKILL') kills += 1;
    // The export was complete before the signal.
    else expect([code, stderr]).toEqual([0, expect.stringContaining('Exported')]);
    if (code === 0) break;
  }
  const isComplete = !readdirSync(folder).some((name) => name.endsWith('.svc-export.json'));
  const hasFiles = readdirSync(folder).length > 0;
  if (!isComplete || !hasFiles) expect(await collectResult(start(log, folder, form))).toMatchObject({ code: 0 });
  const hashes = await hashFiles(folder);
  rmSync(folder, { recursive: true });
  return { kills, hashes };
}

describe(`${EXPORTS} exports of ${ROWS} rows`, () => {
  let log: LogServer;
  const wholes = new Map<string, Record<string, string>>();
  beforeAll(async () => {
    log = await startLogServer({ rows: ROWS, days: 40 });
  });
  afterAll(() => log.close());

  test.each(
    Array.from(
      { length: EXPORTS },
      (_unused, index) => [index, FORMS[(index * 3) % FORMS.length] ?? FORMS[0]] as const,
    ),
  )(
    'number %d, %j',
    async (index, form) => {
      const name = form.join(' ');
      const whole = wholes.get(name) ?? (await runWhole(log, form));
      wholes.set(name, whole);
      const { kills, hashes } = await runKilled(log, form, ROWS / 500, createMoments(index + 1));
      expect(kills).toBeGreaterThan(0);
      expect(hashes).toEqual(whole);
    },
    600_000,
  );
});

test(`${LONG_ROWS} rows`, async () => {
  const form = ['rows.csv'];
  const log = await startLogServer({ rows: LONG_ROWS, days: 40 });
  try {
    const whole = await runWhole(log, form);
    const { kills, hashes } = await runKilled(log, form, LONG_ROWS / 500, createMoments(1_000));
    expect(kills).toBeGreaterThan(0);
    expect(hashes).toEqual(whole);
  } finally {
    await log.close();
  }
}, 1_200_000);
