import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url));
/** Each worker of the tests builds its own. */
const FOLDER = path.join(PACKAGE, `../../.cache/dashboard-journeys-${process.env['VITEST_POOL_ID'] ?? '0'}`);

let isBuilt = false;

/** Builds the dashboard from its sources, once in each process, so that a test that is run alone tests what was edited. */
export function builtPage(): URL {
  if (!isBuilt) {
    const vite = path.join(PACKAGE, 'node_modules/.bin/vite');
    execFileSync(vite, ['build', '--logLevel', 'warn', '--outDir', FOLDER, '--emptyOutDir'], {
      cwd: PACKAGE,
      env: { ...process.env, NODE_ENV: 'production' },
    });
    isBuilt = true;
  }
  return pathToFileURL(`${FOLDER}/`);
}
