import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../processes.ts';
import type { StepOutcome } from '../steps.ts';

/** Limit of what a browser loads before it shows the first page of the dashboard, gzipped. */
const BYTES_MAX = 150_000;

/** Names of uPlot and TanStack Virtual, which only some pages need, that minified code keeps. */
const LATER: Readonly<Record<string, RegExp>> = {
  'the library of charts': /u-over/,
  'the library of long lists': /getVirtualItems/,
};

/** Checks the entry of the built dashboard with its static imports and styles. */
export function checkDashboardSize(): StepOutcome {
  const folder = join(root, 'packages', 'dashboard', 'dist');
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const first = loadedAtOnce(read);
  const bytes = first.reduce((sum, file) => sum + gzipSync(read(file), { level: 9 }).length, 0);
  const problems: string[] = [];
  if (bytes > BYTES_MAX) problems.push(`the first load costs ${bytes} bytes gzipped; at most ${BYTES_MAX} are allowed`);
  for (const [library, mark] of Object.entries(LATER)) {
    if (first.some((file) => mark.test(read(file)))) problems.push(`the first load contains ${library}`);
  }
  const note = `first load: ${bytes.toLocaleString('en')} of ${BYTES_MAX.toLocaleString('en')} bytes gzipped`;
  return { ok: problems.length === 0, output: problems.join('\n'), note };
}

/** Returns the page, its styles and scripts, and what these import statically. */
function loadedAtOnce(read: (file: string) => string): string[] {
  const found = new Set(['index.html']);
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    if (!file.endsWith('.js')) return;
    for (const [, name = ''] of read(file).matchAll(/(?:\bfrom|\bimport)\s*["'](\.{1,2}\/[^"']+)["']/g)) {
      visit(posix.join(posix.dirname(file), name));
    }
  };
  for (const [, file = ''] of read('index.html').matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)) visit(file);
  if (found.size === 1) throw new Error('the page names no script');
  return [...found];
}
