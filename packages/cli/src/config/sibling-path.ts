import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Maximum length of file names on common file systems, in bytes. */
const NAME_MAX = 255;

/** Returns the path of a temporary file next to a file. */
export function siblingPath(path: string, ending: string): string {
  const name = basename(path);
  if (Buffer.byteLength(name + ending) <= NAME_MAX) return path + ending;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  // 40 characters have at most 160 bytes.
  return join(dirname(path), `${name.slice(0, 40)}-${hash}${ending}`);
}
