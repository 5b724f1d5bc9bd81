/**
 * Writes what follows from the JSON files of `src/mappings`: the list of them, and the sections of `docs/sequencers/ready-mappings.md`.
 *
 *   node packages/sequencers/scripts/ready-mappings.ts            write
 *   node packages/sequencers/scripts/ready-mappings.ts --check    exit 1 when one is not up to date
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ReadyMapping } from '../src/mappings/index.ts';

const FOLDER = new URL('../src/mappings/', import.meta.url);
const LIST = new URL('files.ts', FOLDER);
const DOCUMENT = new URL('../../../docs/sequencers/ready-mappings.md', import.meta.url);
const MARKS = /(<!-- mappings: begin -->\n)[^]*(<!-- mappings: end -->)/;

const platforms = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => basename(file, '.json'))
  .toSorted();

const list = `/** Made by \`npm run generate\` from the JSON files of this folder. */
export const READY_MAPPING_FILES: Readonly<Record<string, () => Promise<{ default: unknown }>>> = {
${platforms.map((name) => `  ${/\W/.test(name) ? `'${name}'` : name}: () => import('./${name}.json', { with: { type: 'json' } }),\n`).join('')}};
`;

function describe(platform: string): string {
  const file: ReadyMapping = JSON.parse(readFileSync(new URL(`${platform}.json`, FOLDER), 'utf8'));
  const { name, sources, readOn, published, unverified, setUp, mapping } = file;
  const types = Object.entries(mapping.eventTypes ?? {}).flatMap(([event, type]) =>
    type === 'ignored'
      ? []
      : [`| \`${event}\` | ${typeof type === 'string' ? type : `${type.type}: ${type.category}`} |`],
  );
  return [
    `\n### ${name}\n`,
    `\`sources add --platform ${platform}\`, [the file](../../packages/sequencers/src/mappings/${platform}.json).\n`,
    `- Published: ${published}`,
    `- Not verified: ${unverified}`,
    ...(setUp === undefined ? [] : [`- At the platform: ${setUp}`]),
    `- Sources, read on ${readOn}: ${sources.map((url) => `<${url}>`).join(', ')}`,
    '\n| event | becomes |\n|---|---|',
    ...types,
    '',
  ].join('\n');
}

const before = readFileSync(DOCUMENT, 'utf8');
if (!MARKS.test(before)) throw new Error('ready-mappings.md has lost the marks of its sections');
const sections = `${platforms.map(describe).join('')}\n`;
const document = before.replace(MARKS, (_, begin: string, end: string) => begin + sections + end);

for (const [file, text] of [
  [LIST, list],
  [DOCUMENT, document],
] as const) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file.pathname} is stale: run npm run generate`);
    process.exitCode = 1;
  }
}
