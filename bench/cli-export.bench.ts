import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { LOG } from '@svc/engine/test/log-rows';
import { build } from '../scripts/build.ts';
import { root } from '../scripts/processes.ts';
import { CONNECTIONS, type LongLogs, startLongLogs } from './support/long-logs.ts';
import { type Bench, interleave, type Result } from './measure.ts';
import { findPostgres } from './support/postgres.ts';

const ROWS = 1_000_000;
const ROUNDS = 3;
const LOOP = 'fetch to file, written by hand, NDJSON';

/** Measures whole processes from start to exit, against the real server on PostgreSQL without rate limits. */
export const bench: Bench = {
  name: 'cli-export',
  question: `What does \`svc syncs export\` of ${ROWS.toLocaleString('en-US')} rows cost compared with a hand-written \`fetch\` loop, and how much memory does it need?`,
  async run() {
    const postgres = await findPostgres();
    if (!postgres) return [];
    if (!(await build({ packages: ['cli'], quiet: true }))) throw new Error('the CLI could not be built');
    const logs = await startLongLogs(postgres.url, { rows: ROWS, logs: ['syncs'] });
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    try {
      return await measure(logs, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await logs.close();
      postgres.stop();
    }
  },
};

async function measure(logs: LongLogs, folder: string): Promise<Result[]> {
  const from = logs.log.range.from.toISOString();
  const to = logs.log.range.to.toISOString();
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    TMPDIR: folder,
    NO_COLOR: '1',
    SVC_BASE_URL: logs.url,
    SVC_API_KEY: LOG.key,
    BENCH_PEAK_FILE: join(folder, 'peak'),
  };
  const svc = join(root, 'packages', 'cli', 'bin', 'run.js');
  const loopScript = join(import.meta.dirname, 'support', 'fetch-to-file.ts');
  const peaks = new Map<string, number[]>();

  /** Seconds. */
  async function run(what: string, file: string, args: readonly string[]): Promise<number> {
    const started = performance.now();
    await runNode(args, env);
    const seconds = (performance.now() - started) / 1000;
    const peak = Number(readFileSync(env.BENCH_PEAK_FILE, 'utf8')) / 1024;
    peaks.set(what, [...(peaks.get(what) ?? []), peak]);
    if (statSync(file).size === 0) throw new Error(`${what} wrote nothing`);
    return seconds;
  }
  const byHand = join(folder, 'loop.ndjson');
  const byCli = (name: string) => {
    const what = `svc syncs export, ${name}`;
    const file = join(folder, `svc.${name}`);
    const args = [svc, 'syncs', 'export', '--from', from, '--to', to, '--output', file];
    return [what, () => run(what, file, args)] as const;
  };
  const rows = await interleave(
    ROUNDS,
    {
      [LOOP]: () => run(LOOP, byHand, [loopScript, logs.url, LOG.key, from, to, byHand]),
      ...Object.fromEntries(['ndjson', 'csv', 'csv.gz', 'parquet'].map(byCli)),
    },
    0,
  );
  if ((await hashOf(byHand)) !== (await hashOf(join(folder, 'svc.ndjson')))) throw new Error('the files differ');
  const over = `${ROWS.toLocaleString('en-US')} syncs of ${CONNECTIONS} connections`;
  return [
    { title: `${over}, from spawn to exit`, unit: 's', floor: LOOP, rows },
    {
      title: `${over}, peak of resident memory`,
      unit: 'MB',
      floor: LOOP,
      rows: rows.map(({ what }) => ({ what, samples: peaks.get(what) ?? [] })),
    },
  ];
}

function runNode(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const peak = pathToFileURL(join(import.meta.dirname, 'support', 'peak-memory.ts')).href;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', peak, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${args.join(' ')}: ${code}\n${stderr}`))));
  });
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
