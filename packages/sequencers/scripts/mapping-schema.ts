/**
 * Writes `docs/sequencers/event-mapping.schema.json`, which editors use to check and complete a mapping.
 *
 *   node packages/sequencers/scripts/mapping-schema.ts            write
 *   node packages/sequencers/scripts/mapping-schema.ts --check    exit 1 when it is not up to date
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mappingJsonSchema } from '@svc/domain/mappings/mapping-schema';

const FILE = new URL('../../../docs/sequencers/event-mapping.schema.json', import.meta.url);

const text = `${JSON.stringify(mappingJsonSchema(), null, 2)}\n`;
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  console.error('docs/sequencers/event-mapping.schema.json is stale: run npm run generate');
  process.exitCode = 1;
}
