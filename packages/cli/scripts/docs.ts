/**
 * Writes `docs/cli.md`, the reference of all commands, from the manifest that the build creates.
 *
 *   node packages/cli/scripts/docs.ts            write
 *   node packages/cli/scripts/docs.ts --check    exit 1 when it is not up to date
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from '../../../scripts/build.ts';
import type { Manifest } from '../src/command/manifest.ts';
import { type DocsOptions, renderDocs } from './render-docs.ts';

const FILE = fileURLToPath(new URL('../../../docs/cli.md', import.meta.url));

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
// Updates the manifest.
if (!(await build({ packages: ['cli'], quiet: true }))) process.exit(1);
const { oclif } = readJson<{ oclif: DocsOptions }>('../package.json');
const text = renderDocs(readJson<Manifest>('../oclif.manifest.json'), oclif);

if (!values.check) {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, text);
} else if (readIfThere() !== text) {
  console.error('docs/cli.md is stale: run node packages/cli/scripts/docs.ts');
  process.exitCode = 1;
}

function readJson<Value>(path: string): Value {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

function readIfThere(): string | undefined {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return undefined;
  }
}
