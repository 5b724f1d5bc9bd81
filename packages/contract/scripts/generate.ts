/**
 * Writes the files derived from `openapi.yaml` into `src/generated/`, which is not in git: TypeScript types, the document as YAML and
 * JSON strings, so that bundled servers can serve it, schemas of the answers, and lists of fields and of values. The set-up runs this when the
 * contract has changed (`scripts/generated-files.mjs`).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderAnswers } from './render-answers.ts';
import { renderDocument } from './render-document.ts';
import { renderFields } from './render-fields.ts';
import { renderTypes } from './render-types.ts';
import { renderValues } from './render-values.ts';

const packageDir = join(import.meta.dirname, '..');
const generatedDir = join(packageDir, 'src', 'generated');
const yaml = readFileSync(join(packageDir, 'openapi.yaml'), 'utf8');
const outputs = {
  'openapi.ts': await renderTypes(yaml),
  'document.ts': renderDocument(yaml),
  'answers.ts': renderAnswers(yaml),
  'fields.ts': renderFields(yaml),
  'values.ts': renderValues(yaml),
};

mkdirSync(generatedDir, { recursive: true });
for (const [name, text] of Object.entries(outputs)) writeFileSync(join(generatedDir, name), text);
