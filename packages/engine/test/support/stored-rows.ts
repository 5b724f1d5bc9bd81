/** Events as earlier releases stored them. */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const FOLDER = new URL('../../../../fixtures/stored-rows/', import.meta.url);
const ENDING = '.jsonl.gz';

export interface StoredRow {
  platform: string;
  /** `inbound_events.normalized`. */
  event: object;
}

/** Returns the names of the releases, the first one first. */
export function listStoredReleases(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .toSorted();
}

export function readStoredRows(release: string): StoredRow[] {
  const lines = gunzipSync(readFileSync(new URL(release + ENDING, FOLDER)))
    .toString('utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line));
}
