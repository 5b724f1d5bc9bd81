/**
 * Writes the tables of environment variables and metrics in `docs/operating.md` from the code.
 *
 *   node packages/server/scripts/operating-docs.ts            write
 *   node packages/server/scripts/operating-docs.ts --check    exit 1 when they are not up to date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listVariables } from '@svc/engine/config/describe-environment';
import { createMetrics } from '@svc/engine/runtime/metrics';

const FILE = fileURLToPath(new URL('../../../docs/operating.md', import.meta.url));

function variables(): string {
  const rows = listVariables().map(
    ({ name, description, shownDefault }) => `| \`${name}\` | ${description} | ${shownDefault} |\n`,
  );
  return `| variable | meaning | default |\n|---|---|---|\n${rows.join('')}`;
}

async function metrics(): Promise<string> {
  const scrape = await createMetrics([]).text();
  const rows = [...scrape.matchAll(/^# HELP (svc_\w+) (.*)$/gm)].map(([, name, help]) => `| \`${name}\` | ${help} |\n`);
  return `| metric | meaning |\n|---|---|\n${rows.join('')}`;
}

/** Replaces the text between the markers of `name`. */
function withTable(text: string, name: string, table: string): string {
  const pattern = new RegExp(`(<!-- ${name}: begin [^\\n]*\\n)[\\s\\S]*(<!-- ${name}: end -->)`);
  if (!pattern.test(text)) throw new Error(`${FILE} has no markers for ${name}`);
  return text.replace(pattern, (_, begin: string, end: string) => `${begin}${table}${end}`);
}

const text = readFileSync(FILE, 'utf8');
const fresh = withTable(withTable(text, 'variables', variables()), 'metrics', await metrics());
if (!process.argv.includes('--check')) writeFileSync(FILE, fresh);
else if (fresh !== text) {
  console.error('The tables in docs/operating.md are stale: run npm run generate');
  process.exitCode = 1;
}
