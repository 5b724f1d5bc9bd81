/**
 * Writes what follows from the JSON files of `src/mappings`: the list of them, and the sections of `docs/sequencers/ready-mappings.md`.
 *
 *   node packages/sequencers/scripts/ready-mappings.ts            write
 *   node packages/sequencers/scripts/ready-mappings.ts --check    exit 1 when one is not up to date
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { SecretCheck } from '@svc/domain/syncs/source-secret';
import type { ReadyMapping } from '../src/mappings/index.ts';

const FOLDER = new URL('../src/mappings/', import.meta.url);
const LIST = new URL('files.ts', FOLDER);
const DOCUMENT = new URL('../../../docs/sequencers/ready-mappings.md', import.meta.url);
const MARKS = /(<!-- mappings: begin -->\n)[^]*(<!-- mappings: end -->)/;

const platforms = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => basename(file, '.json'))
  .toSorted();

const read = (platform: string): ReadyMapping => JSON.parse(readFileSync(new URL(`${platform}.json`, FOLDER), 'utf8'));
const keyOf = (platform: string) => (/\W/.test(platform) ? `'${platform}'` : platform);
const checks = platforms.flatMap((platform) => {
  const { check } = read(platform);
  return check === undefined ? [] : [`  ${keyOf(platform)}: { check: '${check.check}', name: '${check.name}' },\n`];
});
const CHECKS: Partial<Record<SecretCheck, string>> = {
  'timed-hmac-sha256': 'a signature with a time',
  'standard-webhooks': 'a signature of Standard Webhooks',
};

const list = `/** Made by \`npm run generate\` from the JSON files of this folder. */
import type { SourceSecret } from '@svc/domain/syncs/source-secret';

export const READY_MAPPING_FILES: Readonly<Record<string, () => Promise<{ default: unknown }>>> = {
${platforms.map((name) => `  ${keyOf(name)}: () => import('./${name}.json', { with: { type: 'json' } }),\n`).join('')}};

/** What posts of these platforms carry to prove their origin. */
export const READY_CHECKS: Readonly<Record<string, Omit<SourceSecret, 'secret'>>> = {
${checks.join('')}};
`;

function describe(platform: string): string {
  const { name, sources, readOn, published, unverified, check, setUp, mapping } = read(platform);
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
    ...(check === undefined
      ? []
      : [
          `- Signature: its posts carry ${CHECKS[check.check] ?? 'a signature'} in \`${check.name}\`: [\`sources set-secret\`](authenticity.md) takes its secret.`,
        ]),
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
