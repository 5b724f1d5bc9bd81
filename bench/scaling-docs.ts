import '../scripts/pinned-node.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the numbers of `docs/scaling.md` from `bench/RESULTS.md`.
 *
 *   node bench/scaling-docs.ts            write
 *   node bench/scaling-docs.ts --check    exit 1 when they are not up to date
 */

const FILE = join(import.meta.dirname, '..', 'docs', 'scaling.md');
const results = readFileSync(join(import.meta.dirname, 'RESULTS.md'), 'utf8');

const SECONDS_A_DAY = 86_400;
/** Busiest minute of a day, in averages. */
const PEAK = 3;
/** Share of a core that a process or PostgreSQL is planned to use at the peak. */
const PLANNED_USE = 0.5;
const HUBSPOT_CALLS_PER_EVENT = 0.04;
const EVENTS_A_DAY = [1e6, 1e7, 1e8, 1e9];

/** A table of a benchmark: its title, and the medians by row. */
type Table = { title: string; rows: Map<string, number> };

/** Returns the table whose title begins so. */
function tableOf(section: string, title: string): Table {
  const [, body = ''] = results.split(`<!-- bench: ${section} -->`);
  const [own = ''] = body.split(`<!-- end: ${section} -->`);
  const lines = own.split('\n');
  const start = lines.findIndex((line) => line.startsWith(title));
  if (start === -1) throw new Error(`bench/RESULTS.md has no table "${title}": npm run bench -- ${section} --record`);
  const rows = lines.slice(start + 4);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  const medians = rows.slice(0, end).map((line): [string, number] => {
    const [, what = '', median = ''] = line.split('|').map((cell) => cell.trim());
    return [what, Number(median.replaceAll(',', ''))];
  });
  return { title: lines[start] ?? '', rows: new Map(medians) };
}

function valueOf(table: Table, what: string): number {
  const value = table.rows.get(what);
  if (value === undefined || Number.isNaN(value)) throw new Error(`a table of bench/RESULTS.md has no row "${what}"`);
  return value;
}

const speed = tableOf('roles', 'one process, as fast as it can');
const cpu = tableOf('roles', 'CPU time of each post, event or page');
const bytes = tableOf('roles', 'written by PostgreSQL for each event');
const commits = tableOf('roles', 'transactions per 1,000 events under full load');

const whole = (value: number) => Math.round(value).toLocaleString('en-US');
const rounded = (value: number) => (value >= 10 ? whole(value) : value.toFixed(value < 1 ? 2 : 1));
const table = (header: string, rows: readonly string[][]) =>
  [header, header.replaceAll(/[^|]+/g, '---'), ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');

function roles(): string {
  const rows = [
    ['inbound', 'posts', 'inbound: posts', 'WAL, inbound'],
    ['worker', 'events written', 'worker: events written', 'WAL, worker'],
    ['api', 'pages of 100 syncs', 'api: pages of 100 syncs', null],
  ] as const;
  return table(
    '| role | in a second, alone | CPU of the process for each | CPU of PostgreSQL for each | WAL for each | transactions for 1,000 |',
    rows.map(([role, unit, what, wal]) => [
      `\`${role}\``,
      `${whole(valueOf(speed, what))} ${unit}`,
      `${whole(valueOf(cpu, role))} µs`,
      `${whole(valueOf(cpu, `PostgreSQL for ${role}`))} µs`,
      wal === null ? '' : `${whole(valueOf(bytes, wal))} bytes`,
      wal === null ? '' : whole(valueOf(commits, role)),
    ]),
  );
}

function memory(): string {
  const rows = [
    ['`api`', 'memory of api, PostgreSQL'],
    ['`inbound`', 'memory of inbound, PostgreSQL'],
    ['`worker`', 'memory of worker, PostgreSQL'],
    ['all roles in one process', 'memory of all roles in one process, PostgreSQL'],
    ['all roles, embedded database', 'memory of all roles in one process, embedded'],
  ] as const;
  return table(
    '| process | load | when ready | first quarter | last quarter | heap, first quarter | heap, last quarter |',
    rows.map(([name, title]) => {
      const measured = tableOf('soak', title);
      const rowNames = [
        'resident, when ready',
        'resident, first quarter',
        'resident, last quarter',
        'heap, first quarter',
        'heap, last quarter',
      ];
      const load = /, (\d.*?) \(peak/.exec(measured.title)?.[1] ?? '';
      return [name, load, ...rowNames.map((row) => `${whole(valueOf(measured, row))} MB`)];
    }),
  );
}

function workers(): string {
  const rates = tableOf('scaling', 'events written per second');
  const used = tableOf('scaling', 'meanwhile in use by the workers and PostgreSQL');
  const one = valueOf(rates, '1 worker');
  return table(
    '| worker processes | events written per second | times one worker | of one core in use, with PostgreSQL |',
    [...rates.rows].map(([what, rate]) => [
      what,
      rounded(rate),
      (rate / one).toFixed(2),
      `${whole(valueOf(used, what))} %`,
    ]),
  );
}

function claims(): string {
  const counts = [1, 2, 4, 8];
  const of = (count: number, keys: string) => {
    const table = tableOf('queue', `a claim by 16 idle workers, PostgreSQL, ${count} at a time`);
    return `${valueOf(table, keys).toFixed(1)} ms`;
  };
  return table(
    '| claims at the same moment | 10 customers wait | 100,000 customers wait |',
    counts.map((count) => [String(count), of(count, '10 keys due'), of(count, '100,000 keys due')]),
  );
}

/** What a number of events a day needs, by the numbers above. */
function needOf(perDay: number) {
  const average = perDay / SECONDS_A_DAY;
  const peak = PEAK * average;
  const microseconds = (...rows: string[]) => rows.reduce((sum, row) => sum + valueOf(cpu, row), 0);
  const cores = (...rows: string[]) => (peak * microseconds(...rows)) / 1e6 / PLANNED_USE;
  const walBytes = valueOf(bytes, 'WAL, inbound') + valueOf(bytes, 'WAL, worker');
  return {
    average,
    peak,
    inbound: Math.max(1, Math.ceil(cores('inbound'))),
    workers: Math.max(1, Math.ceil(cores('worker'))),
    postgresMicroseconds: microseconds('PostgreSQL for inbound', 'PostgreSQL for worker'),
    postgresCores: cores('PostgreSQL for inbound', 'PostgreSQL for worker'),
    walBytes,
    walPerSecond: (peak * walBytes) / 1e6,
    walPerDay: (perDay * walBytes) / 1e9,
    diskPerDay: (perDay * valueOf(bytes, 'tables and indexes')) / 1e9,
    hubspotCalls: perDay * HUBSPOT_CALLS_PER_EVENT,
  };
}

function sizing(): string {
  return table(
    '| events a day | average, peak per second | `inbound` | `worker` | cores of PostgreSQL | WAL at the peak | WAL a day | tables a day | calls to HubSpot a day |',
    EVENTS_A_DAY.map((perDay) => {
      const need = needOf(perDay);
      return [
        whole(perDay),
        `${rounded(need.average)}, ${rounded(need.peak)}`,
        whole(need.inbound),
        whole(need.workers),
        rounded(need.postgresCores),
        `${rounded(need.walPerSecond)} MB/s`,
        `${rounded(need.walPerDay)} GB`,
        `${rounded(need.diskPerDay)} GB`,
        whole(need.hubspotCalls),
      ];
    }),
  );
}

/** The arithmetic of the last row, step by step. */
function arithmetic(): string {
  const perDay = 1e9;
  const need = needOf(perDay);
  const average = whole(need.average);
  const peak = whole(need.peak);
  const step = (role: string, count: number) =>
    `- \`${role}\`: ${peak} events/s × ${whole(valueOf(cpu, role))} µs = ${rounded((need.peak * valueOf(cpu, role)) / 1e6)} cores; at half use ${whole(count)} processes.`;
  return [
    `- Events: 1,000,000,000 / 86,400 s = ${average} a second; at the peak ${PEAK} × ${average} = ${peak}.`,
    step('inbound', need.inbound),
    step('worker', need.workers),
    `- PostgreSQL: ${peak} events/s × ${whole(need.postgresMicroseconds)} µs = ${rounded((need.peak * need.postgresMicroseconds) / 1e6)} cores; at half use ${whole(need.postgresCores)}.`,
    `- WAL: ${peak} events/s × ${whole(need.walBytes)} bytes = ${whole(need.walPerSecond)} MB/s; 1,000,000,000 × ${whole(need.walBytes)} bytes = ${whole(need.walPerDay)} GB a day, to each standby and to the archive.`,
    `- Tables and indexes: 1,000,000,000 × ${whole(valueOf(bytes, 'tables and indexes'))} bytes = ${whole(need.diskPerDay)} GB a day, ${rounded((30 * need.diskPerDay) / 1_000)} TB a month.`,
    `- Calls to HubSpot: 1,000,000,000 × 4 / 100 = ${whole(need.hubspotCalls)} a day.\n  One account allows 250,000 to 1,000,000, so that is at least ${whole(need.hubspotCalls / 1e6 / 0.8)} accounts at 80 % of their limit.`,
  ].join('\n');
}

/** Replaces the text between the markers of `name`. */
function withBlock(text: string, name: string, block: string): string {
  const pattern = new RegExp(`(<!-- ${name}: begin [^\\n]*\\n)[\\s\\S]*(<!-- ${name}: end -->)`);
  if (!pattern.test(text)) throw new Error(`${FILE} has no markers for ${name}`);
  return text.replace(pattern, (_, begin: string, end: string) => `${begin}${block}\n${end}`);
}

const blocks = { roles, memory, workers, claims, sizing, arithmetic };
const text = readFileSync(FILE, 'utf8');
const fresh = Object.entries(blocks).reduce((next, [name, write]) => withBlock(next, name, write()), text);
if (!process.argv.includes('--check')) writeFileSync(FILE, fresh);
else if (fresh !== text) {
  console.error('The numbers of docs/scaling.md are stale: run npm run generate');
  process.exitCode = 1;
}
