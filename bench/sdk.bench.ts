import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Page, Sync } from '@svc/contract/types';
import type { Client } from '../packages/sdk/src/index.ts';
import { build } from '../scripts/build.ts';
import { gzippedAtOnce } from '../scripts/checks/bundle-size.ts';
import { root } from '../scripts/processes.ts';
import { type Bench, interleave, type Result } from './measure.ts';
import { startProcess } from './support/process.ts';

const CALLS = 1_000;
// Single calls scatter most: with 7 rounds the ratio moves by a tenth.
const CALL_ROUNDS = 31;
const ROWS = 200_000;
const ROW_ROUNDS = 5;
const LONG = 1_000_000;
const PAGE = 500;
const RANGE = { from: '2026-03-02T12:00:00.000Z', to: '2026-03-31T12:00:00.000Z' };
const API_KEY = 'osapi_bench';
const HEADERS = { authorization: `Bearer ${API_KEY}` };

const LOOP = 'fetch, written by hand';

/** The published SDK compared with hand-written `fetch`, over the same prepared answers of a minimal server. */
export const bench: Bench = {
  name: 'sdk',
  question: `What does \`@svc/sdk\` cost compared with a hand-written \`fetch\` loop? (${count(CALLS)} calls, ${count(ROWS)} rows a round)`,
  async run() {
    if (!(await build({ packages: ['sdk'], quiet: true }))) throw new Error('the SDK could not be built');
    const file = join(root, 'packages', 'sdk', 'dist', 'index.js');
    const { createClient }: typeof import('../packages/sdk/src/index.ts') = await import(pathToFileURL(file).href);
    const server = await startProcess('sdk-server.ts');
    const connect = (rows: number) => ({
      url: `${server.ready}/${rows}`,
      client: createClient({ baseUrl: `${server.ready}/${rows}`, apiKey: API_KEY, logLevel: 'off' }),
    });
    try {
      return [await calls(connect(ROWS)), await rows(connect(ROWS)), await memory(connect(LONG)), await size(file)];
    } finally {
      server.stop();
    }
  },
};

type Target = { readonly url: string; readonly client: Client };

async function calls({ url, client }: Target): Promise<Result> {
  const rows = await interleave(CALL_ROUNDS, {
    [LOOP]: () => microsecondsPerCall(() => fetchJson<Sync>(`${url}/api/v1/syncs/1`)),
    'client.syncs.get': () => microsecondsPerCall(() => client.syncs.get(1)),
  });
  return { title: '`GET /api/v1/syncs/:id`, one after the other', unit: 'µs', floor: LOOP, rows };
}

async function microsecondsPerCall(get: () => Promise<Sync>): Promise<number> {
  const started = performance.now();
  for (let call = 0; call < CALLS; call += 1) {
    if ((await get()).id !== 1) throw new Error('not the sync that was asked for');
  }
  return ((performance.now() - started) * 1_000) / CALLS;
}

async function rows({ url, client }: Target): Promise<Result> {
  const measured = await interleave(ROW_ROUNDS, {
    [LOOP]: () =>
      rowsPerSecond(async (take) => {
        for await (const page of fetchPages(url)) for (const row of page) take(row);
      }),
    'the same, row by row': () =>
      rowsPerSecond(async (take) => {
        for await (const row of fetchRows(url)) take(row);
      }),
    'for await of client.syncs.list': () =>
      rowsPerSecond(async (take) => {
        for await (const row of client.syncs.list(RANGE)) take(row);
      }),
    'for await of client.syncs.list().pages': () =>
      rowsPerSecond(async (take) => {
        for await (const page of client.syncs.list(RANGE).pages()) for (const row of page.data) take(row);
      }),
    'client.syncs.list with prefetch': () =>
      rowsPerSecond(async (take) => {
        for await (const row of client.syncs.list({ ...RANGE, prefetch: true })) take(row);
      }),
  });
  return { title: `${count(ROWS)} rows in pages of ${PAGE}`, unit: 'rows/s', floor: LOOP, rows: measured };
}

async function rowsPerSecond(walk: (take: (row: Sync) => void) => Promise<void>): Promise<number> {
  let [taken, ids] = [0, 0];
  const started = performance.now();
  await walk((row) => {
    taken += 1;
    ids += row.id;
  });
  const seconds = (performance.now() - started) / 1_000;
  if (taken !== ROWS || ids === 0) throw new Error(`${taken} rows came instead of ${ROWS}`);
  return taken / seconds;
}

/** Heap in use after garbage collection while iterating a long list: the SDK stores cursors, never rows. */
async function memory({ client }: Target): Promise<Result> {
  const samples: Record<string, number[]> = {};
  const take = (rowsRead: number) => {
    samples[`after ${count(rowsRead)} rows`] = [usedMegabytes()];
  };
  take(0);
  let taken = 0;
  for await (const _row of client.syncs.list(RANGE)) {
    taken += 1;
    if (taken === LONG / 10 || taken === LONG / 2 || taken === LONG) take(taken);
  }
  if (taken !== LONG) throw new Error(`${taken} rows came instead of ${LONG}`);
  samples['after the loop'] = [usedMegabytes()];
  return {
    title: `heap in use while client.syncs.list is iterated, ${count(LONG)} rows`,
    unit: 'MB',
    floor: `after ${count(0)} rows`,
    rows: Object.entries(samples).map(([what, numbers]) => ({ what, samples: numbers })),
  };
}

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function usedMegabytes(): number {
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

async function size(file: string): Promise<Result> {
  const floor = 'openapi-fetch alone';
  const peer = `export { default } from ${JSON.stringify(openapiFetch())};`;
  const core = `export { createClient } from ${JSON.stringify(file)};`;
  return {
    title: 'what a page loads at once, bundled, minified and gzipped',
    unit: 'bytes',
    floor,
    rows: [
      { what: floor, samples: [await gzippedAtOnce(peer)] },
      { what: 'createClient, openapi-fetch included', samples: [await gzippedAtOnce(core)] },
    ],
  };
}

/** Returns the path of the module that the SDK imports. */
function openapiFetch(): string {
  const manifest = findPackageJSON('openapi-fetch', join(root, 'packages', 'sdk', 'package.json'));
  if (manifest === undefined) throw new Error('openapi-fetch is not installed');
  const { main }: { main: string } = JSON.parse(readFileSync(manifest, 'utf8'));
  return join(dirname(manifest), main);
}

async function* fetchRows(url: string): AsyncGenerator<Sync, void, undefined> {
  for await (const page of fetchPages(url)) yield* page;
}

async function* fetchPages(url: string): AsyncGenerator<readonly Sync[], void, undefined> {
  let cursor: string | null = null;
  do {
    const query: URLSearchParams = new URLSearchParams({ ...RANGE, limit: String(PAGE) });
    if (cursor !== null) query.set('cursor', cursor);
    const page: Page<Sync> = await fetchJson<Page<Sync>>(`${url}/api/v1/syncs?${query}`);
    yield page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

async function fetchJson<Body>(url: string): Promise<Body> {
  const response = await fetch(url, { headers: HEADERS });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return (await response.json()) as Body;
}

function count(rows: number): string {
  return rows.toLocaleString('en-US');
}
