/**
 * Writes the table of commands in the README from the declarations of the operations.
 *
 *   node packages/server/scripts/command-table.ts            write
 *   node packages/server/scripts/command-table.ts --check    exit 1 when it is not up to date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commandRows } from './command-rows.ts';

const FILE = fileURLToPath(new URL('../README.md', import.meta.url));
const PATTERN = /(<!-- commands: begin [^\n]*\n)[\s\S]*(<!-- commands: end -->)/;

const text = readFileSync(FILE, 'utf8');
if (!PATTERN.test(text)) throw new Error(`${FILE} has no markers for the commands`);
const table = `| command | does | \`--json\` prints |\n|---|---|---|\n${commandRows().join('\n')}\n`;
const fresh = text.replace(PATTERN, (_, begin: string, end: string) => `${begin}${table}${end}`);
if (!process.argv.includes('--check')) writeFileSync(FILE, fresh);
else if (fresh !== text) {
  console.error('The table of commands in packages/server/README.md is stale: run npm run generate');
  process.exitCode = 1;
}
