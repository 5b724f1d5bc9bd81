/** Writes the table of `docs/dashboard.md` that says which page does what a command does. `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import catalog from '../src/generated/catalog.json' with { type: 'json' };
import { OPERATION_PAGES, type Place } from './operation-pages.ts';

const FILE = join(import.meta.dirname, '../../../docs/dashboard.md');
const PATTERN = /(<!-- pages: begin [^\n]*\n)[\s\S]*(<!-- pages: end -->)/;

const commands = new Map<string, string[]>();
for (const [name, { command }] of Object.entries(catalog)) {
  const place: Place = OPERATION_PAGES[name as keyof typeof OPERATION_PAGES];
  if (command === null || !('page' in place)) continue;
  commands.set(place.page, [...(commands.get(place.page) ?? []), `\`${command.join(' ')}\``]);
}
const rows = [...commands].map(([page, names]) => `| \`${page}\` | ${names.join(', ')} |\n`);
const table = `| page | commands |\n|---|---|\n${rows.join('')}`;

const text = readFileSync(FILE, 'utf8');
if (!PATTERN.test(text)) throw new Error(`${FILE} has no markers for the pages`);
const fresh = text.replace(PATTERN, (_, begin: string, end: string) => `${begin}${table}${end}`);
if (!process.argv.includes('--check')) writeFileSync(FILE, fresh);
else if (fresh !== text) {
  process.stderr.write('The table of pages in docs/dashboard.md is stale: run npm run generate\n');
  process.exitCode = 1;
}
