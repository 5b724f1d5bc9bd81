import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openapiJson } from '@svc/contract/document';
import type { Page, Sync } from '@svc/contract/types';
import { Pool } from 'undici';
import { build } from '../scripts/build.ts';
import { root } from '../scripts/processes.ts';
import { type Bench, interleave, type Result, type Row } from './measure.ts';
import { installPrism, PRISM_VERSION } from './support/mock-prism.ts';
import { type MockProcess, type MockServer, startMock } from './support/mock-process.ts';

const CONNECTIONS = 16;
const START_ROUNDS = 9;
const LOAD_ROUNDS = 7;
const ROUND_MS = 2_000;
const NOW = '2026-03-31T12:00:00.000Z';
const RANGE = 'from=2026-03-02T12:00:00.000Z&to=2026-03-31T12:00:00.000Z';
const LIST = `/api/v1/syncs?${RANGE}&limit=100`;

const FLOOR = 'node:http, the same bytes';
const MOCK = 'svc-mock';
const PRISM = `Prism ${PRISM_VERSION}`;
const PRISM_WITH_PAGE = 'Prism, that page as its example';

/** Sends the content of one of two files to everybody: the least that a Node server can do. */
const FLOOR_SCRIPT = `
  const { readFileSync } = require('node:fs');
  const [port, list, one] = process.argv.slice(1);
  const [listBody, oneBody] = [readFileSync(list), readFileSync(one)];
  require('node:http').createServer((request, response) => {
    const body = request.url.includes('?') ? listBody : oneBody;
    response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
    response.end(body);
  }).listen(Number(port), '127.0.0.1');`;

/**
 * The published `svc-mock`, Prism on the same contract, and a server without logic. Prism answers the contract's
 * examples, whose list has two rows; so it also runs on a copy of the contract with `svc-mock`'s page as example, and
 * `svc-mock` is also asked for two rows.
 */
export const bench: Bench = {
  name: 'mock',
  question: `How fast does \`svc-mock\` start and answer, compared with Prism on the same contract? (${CONNECTIONS} connections)`,
  async run() {
    const prism = await installPrism();
    if (prism === null) return [];
    if (!(await build({ packages: ['mock'], quiet: true }))) throw new Error('the mock could not be built');
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, NO_COLOR: '1' };
    const svcMock = join(root, 'packages', 'mock', 'bin', 'svc-mock.js');
    const contract = join(root, 'packages', 'contract', 'openapi.yaml');
    const files = {
      list: join(folder, 'list.json'),
      one: join(folder, 'one.json'),
      contract: join(folder, 'contract.json'),
    };
    // Logging every request would be most of its work.
    const prismArgs = (port: string) => [prism, 'mock', '--port', port, '--verboseLevel', 'silent'];
    const servers: Readonly<Record<string, MockServer>> = {
      [FLOOR]: { env, args: (port) => ['--eval', FLOOR_SCRIPT, port, files.list, files.one] },
      [MOCK]: { env, args: (port) => [svcMock, '--port', port, '--now', NOW] },
      [PRISM]: { env, args: (port) => [...prismArgs(port), contract] },
    };
    try {
      const one = await writeFiles(servers[MOCK], files);
      const withPage = { env, args: (port: string) => [...prismArgs(port), files.contract] };
      return [...(await startUp(servers)), ...(await load(servers, withPage, one))];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Writes what svc-mock answers, for the others to send. @returns the path of the sync */
async function writeFiles(
  server: MockServer | undefined,
  files: Readonly<Record<'list' | 'one' | 'contract', string>>,
): Promise<string> {
  if (server === undefined) throw new Error('unreachable');
  const mock = await startMock(server, LIST);
  try {
    const list = await mock.get(LIST);
    const page: Page<Sync> = JSON.parse(list);
    if (page.data.length !== 100) throw new Error(`the page has ${page.data.length} syncs`);
    const path = `/api/v1/syncs/${page.data[0]?.id}`;
    writeFileSync(files.list, list);
    writeFileSync(files.one, await mock.get(path));
    writeFileSync(files.contract, contractWithPage(page));
    return path;
  } finally {
    await mock.stop();
  }
}

type Examples = { content: Record<string, { examples: Record<string, { value: unknown }> }> };

/** Returns the contract with this page as the only example of the list of syncs. */
function contractWithPage(page: Page<Sync>): string {
  const document: { paths: Record<string, { get: { responses: Record<string, Examples> } }> } = JSON.parse(openapiJson);
  const content = document.paths['/api/v1/syncs']?.get.responses['200']?.content['application/json'];
  if (content === undefined) throw new Error('the contract has no list of syncs');
  content.examples = { first: { value: page } };
  return JSON.stringify(document);
}

async function startUp(servers: Readonly<Record<string, MockServer>>): Promise<Result[]> {
  const memory = Object.keys(servers).map((what): Row & { samples: number[] } => ({ what, samples: [] }));
  const rows = await interleave(
    START_ROUNDS,
    Object.fromEntries(
      Object.entries(servers).map(([what, server]) => [
        what,
        async () => {
          const process = await startMock(server, LIST);
          memory.find((row) => row.what === what)?.samples.push(process.residentMegabytes());
          await process.stop();
          return process.startedInMs;
        },
      ]),
    ),
  );
  return [
    { title: 'from spawn to the first 200 of `GET /api/v1/syncs?limit=100`', unit: 'ms', floor: FLOOR, rows },
    { title: 'resident memory then', unit: 'MB', floor: FLOOR, rows: memory.map(withoutWarmup) },
  ];
}

async function load(
  servers: Readonly<Record<string, MockServer>>,
  withPage: MockServer,
  one: string,
): Promise<Result[]> {
  const running: Record<string, MockProcess> = {};
  let prismWithPage: MockProcess | null = null;
  try {
    for (const [what, server] of Object.entries(servers)) running[what] = await startMock(server, LIST);
    const ask = (path: string) =>
      Object.fromEntries(Object.entries(running).map(([what, process]) => [what, () => rate(process, path)]));
    const mock = running[MOCK];
    if (mock === undefined) throw new Error('unreachable');
    const prismOfPage = await startMock(withPage, LIST);
    prismWithPage = prismOfPage;
    const list = await interleave(LOAD_ROUNDS, {
      ...ask(LIST),
      [PRISM_WITH_PAGE]: () => rate(prismOfPage, LIST),
      [`${MOCK}, limit=2`]: () => rate(mock, LIST.replace('limit=100', 'limit=2')),
    });
    await prismOfPage.stop();
    prismWithPage = null;
    const single = await interleave(LOAD_ROUNDS, ask(one));
    const memory = await interleave(
      1,
      Object.fromEntries(Object.entries(running).map(([what, process]) => [what, () => process.residentMegabytes()])),
      0,
    );
    const unit = 'requests/s';
    return [
      { title: "`GET /api/v1/syncs?limit=100` (Prism: the contract's example of 2)", unit, floor: PRISM, rows: list },
      { title: '`GET /api/v1/syncs/:id`', unit, floor: PRISM, rows: single },
      { title: 'resident memory after all these requests', unit: 'MB', floor: FLOOR, rows: memory },
    ];
  } finally {
    await prismWithPage?.stop();
    for (const process of Object.values(running)) await process.stop();
  }
}

/** Returns requests per second, measured for two seconds. @throws Error for any answer but a 200 */
async function rate(process: MockProcess, path: string): Promise<number> {
  const pool = new Pool(process.url, { connections: CONNECTIONS, pipelining: 1 });
  let answered = 0;
  const started = performance.now();
  const connection = async () => {
    while (performance.now() - started < ROUND_MS) {
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers: process.headers });
      const bytes = await body.bytes();
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${new TextDecoder().decode(bytes)}`);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const seconds = (performance.now() - started) / 1_000;
  await pool.close();
  return answered / seconds;
}

function withoutWarmup({ what, samples }: Row): Row {
  return { what, samples: samples.slice(-START_ROUNDS) };
}
