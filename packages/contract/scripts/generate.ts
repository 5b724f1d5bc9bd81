/**
 * Writes the files derived from `openapi.yaml` into `src/generated/`: TypeScript types, the document as YAML and JSON strings,
 * so that bundled servers can serve it, schemas of the answers, and lists of fields.
 *
 *   node packages/contract/scripts/generate.ts            write
 *   node packages/contract/scripts/generate.ts --check    exit 1 and name each file that is not up to date
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderAnswers } from './render-answers.ts';
import { renderDocument } from './render-document.ts';
import { renderFields } from './render-fields.ts';
import { renderTypes } from './render-types.ts';

const packageDir = join(dirname(fileURLToPath(import.meta.url)), '..');
const generatedDir = join(packageDir, 'src', 'generated');

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const yaml = await readFile(join(packageDir, 'openapi.yaml'), 'utf8');
const outputs = [
  { path: join(generatedDir, 'openapi.ts'), text: await renderTypes(yaml) },
  { path: join(generatedDir, 'document.ts'), text: renderDocument(yaml) },
  { path: join(generatedDir, 'answers.ts'), text: renderAnswers(yaml) },
  { path: join(generatedDir, 'fields.ts'), text: renderFields(yaml) },
];

const checkOnly = process.argv.includes('--check');
let staleCount = 0;
for (const { path, text } of outputs) {
  if ((await readIfThere(path)) === text) continue;
  const name = relative(process.cwd(), path);
  if (checkOnly) {
    staleCount += 1;
    process.stderr.write(`stale: ${name} (run: node packages/contract/scripts/generate.ts)\n`);
  } else {
    await mkdir(generatedDir, { recursive: true });
    await writeFile(path, text);
    process.stdout.write(`wrote ${name}\n`);
  }
}
if (staleCount > 0) process.exitCode = 1;
