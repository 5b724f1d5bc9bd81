import '../scripts/pinned-node.ts';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Bench, describeMachine, formatResult, summarise } from './measure.ts';
import { withSection } from './results-file.ts';

/**
 * `npm run bench [name...]` runs `bench/<name>.bench.ts`, or all, and prints each result with its floor or peer,
 * measured in the same run.
 *
 * `--json` prints one JSON document instead; `--record` also writes the section of each benchmark in
 * `bench/RESULTS.md`. `--minutes N` is how long `soak` measures, `--rows N` how many rows
 * `years` and `person` make.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    rows: { type: 'string' },
  },
});
const folder = import.meta.dirname;
const available = globSync('*.bench.ts', { cwd: folder })
  .map((file) => basename(file, '.bench.ts'))
  .toSorted();
const unknown = positionals.filter((name) => !available.includes(name));
if (unknown.length > 0 || available.length === 0) {
  process.stderr.write(`no such benchmark: ${unknown.join(', ')}. Available: ${available.join(', ')}\n`);
  process.exit(2);
}

const minutes = Number(values.minutes ?? '1');
if (!(minutes > 0)) {
  process.stderr.write(`--minutes must be a number above 0: ${values.minutes}\n`);
  process.exit(2);
}

const rows = Number(values.rows ?? '1000000');
if (!(rows >= 200_000)) {
  process.stderr.write(`--rows must be a number from 200000: ${values.rows}\n`);
  process.exit(2);
}

const machine = describeMachine();
const documents: unknown[] = [];
if (!values.json) process.stdout.write(`${machine}\n`);
for (const name of positionals.length > 0 ? positionals : available) {
  const { bench }: { bench: Bench } = await import(pathToFileURL(join(folder, `${name}.bench.ts`)).href);
  const notes = (bench.notes ?? []).map((note) => `- ${note}`).join('\n');
  const about = notes === '' ? bench.question : `${bench.question}\n\n${notes}`;
  if (!values.json) process.stdout.write(`\n## ${bench.name}: ${about}\n`);
  const results = await bench.run({
    ...(values.minutes !== undefined && { minutes }),
    ...(values.rows !== undefined && { rows }),
  });
  const tables = results.map(formatResult).join('\n\n');
  if (!values.json) process.stdout.write(`\n${tables}\n`);
  documents.push({
    name: bench.name,
    question: bench.question,
    machine,
    results: results.map((result) => ({ ...result, summary: summarise(result) })),
  });
  // A benchmark that cannot run on this machine keeps its earlier results.
  if (values.record && results.length > 0) record(bench.name, about, tables);
}
if (values.json) process.stdout.write(`${JSON.stringify(documents, null, 2)}\n`);

function record(name: string, about: string, tables: string): void {
  const file = join(folder, 'RESULTS.md');
  const before = existsSync(file)
    ? readFileSync(file, 'utf8')
    : '# Benchmark results\n\nEach beside a peer or a floor measured in the same run: ratios carry over to other machines, times do not.\n';
  const date = new Date().toISOString().slice(0, 10);
  const body = `## ${name}\n\n${about}\n\n${date}, ${machine}.\nAgain: \`npm run bench ${name}\`.\n\n${tables}`;
  writeFileSync(file, withSection(before, name, body));
}
