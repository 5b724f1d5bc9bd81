/**
 * Writes the JSON Schemas in `docs`, with which editors check and complete the files that operators write.
 *
 *   node packages/server/scripts/json-schemas.ts            write
 *   node packages/server/scripts/json-schemas.ts --check    exit 1 when one is not up to date
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mappingJsonSchema } from '@svc/domain/mappings/mapping-schema';
import { policyJsonSchema } from '@svc/domain/policy/write-policy';
import { configJsonSchema } from '@svc/operations/declared/config-file';
import { root } from '../../../scripts/processes.ts';

const SCHEMAS = {
  'docs/config.schema.json': configJsonSchema(),
  'docs/sequencers/event-mapping.schema.json': mappingJsonSchema(),
  'docs/write-policy.schema.json': policyJsonSchema(),
};

for (const [file, schema] of Object.entries(SCHEMAS)) {
  const path = join(root, file);
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    console.error(`${file} is stale: run npm run generate`);
    process.exitCode = 1;
  }
}
