/**
 * Writes the table of sequencers in `README.md`.
 *
 *   node packages/sequencers/scripts/readme-table.ts            write
 *   node packages/sequencers/scripts/readme-table.ts --check    exit 1 when it is not up to date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { SecretCheck } from '@svc/domain/syncs/source-secret';
import { findBlocklistProblem } from '../src/blocklists/index.ts';
import { SEQUENCERS } from '../src/events/platforms.ts';

const FILE = new URL('../../../README.md', import.meta.url);
const MARKS = /(<!-- sequencers: begin -->\n)[^]*(<!-- sequencers: end -->)/;
const CAN_CARRY: Readonly<Record<SecretCheck, string>> = {
  'hmac-sha256': 'a signature',
  'hmac-sha1': 'a signature',
  'timed-hmac-sha256': 'a signature',
  'standard-webhooks': 'a signature',
  body: 'a secret',
  header: 'a secret',
};

/** Sequencers about which the table says the same share a row. */
const rows = new Map<string, string[]>();
for (const [platform, { name, coverage, check }] of Object.entries(SEQUENCERS)) {
  const blocklist = findBlocklistProblem(platform) === null ? 'addresses, domains' : '';
  const facts = toCells([coverage, blocklist, check === null ? '' : CAN_CARRY[check.check]]);
  rows.set(facts, [...(rows.get(facts) ?? []), `[${name}](docs/sequencers/${platform}.md)`]);
}
const table = [
  `| sequencer |${toCells(['events', '[block list](docs/sequencers/block-lists.md)', '[its posts can carry](docs/sequencers/authenticity.md)'])}`,
  '|---|---|---|---|',
  ...[...rows].map(([facts, names]) => `| ${names.join(', ')} |${facts}`),
  `| any other |${toCells(['by [ready](docs/sequencers/ready-mappings.md) or [own mapping](docs/sequencers/any-other.md)', '', ''])}`,
].map((line) => `${line}\n`);

function toCells(texts: readonly string[]): string {
  return texts.map((text) => (text === '' ? ' |' : ` ${text} |`)).join('');
}

const before = readFileSync(FILE, 'utf8');
if (!MARKS.test(before)) throw new Error('README.md has lost the marks of its table of sequencers');
const after = before.replace(MARKS, (_, begin: string, end: string) => begin + table.join('') + end);
if (!process.argv.includes('--check')) writeFileSync(FILE, after);
else if (after !== before) {
  console.error('the table of sequencers in README.md is stale: run npm run generate');
  process.exitCode = 1;
}
