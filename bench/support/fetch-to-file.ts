/**
 * Writes every sync of a range to an NDJSON file without the CLI, retries, rate limits or checkpoints: `node
 * fetch-to-file.ts URL KEY FROM TO FILE`.
 */
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import type { Page, Sync } from '@svc/contract/types';

const [url = '', key = '', from = '', to = '', path = ''] = process.argv.slice(2);
const file = createWriteStream(path);
let cursor: string | null = null;
do {
  const query: URLSearchParams = new URLSearchParams({
    from,
    to,
    limit: '500',
    ...(cursor === null ? {} : { cursor }),
  });
  const response = await fetch(`${url}/api/v1/syncs?${query}`, { headers: { authorization: `Bearer ${key}` } });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  const page = (await response.json()) as Page<Sync>;
  if (!file.write(page.data.map((row) => `${JSON.stringify(row)}\n`).join(''))) await once(file, 'drain');
  cursor = page.nextCursor;
} while (cursor !== null);
file.end();
await once(file, 'close');
