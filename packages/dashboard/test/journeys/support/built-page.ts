import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url));
/** Where `npm run build` leaves it, for servers from their sources. */
const BUILT = path.join(PACKAGE, 'dist');
/** Each worker of the tests builds its own. */
const FOLDER = path.join(PACKAGE, `../../.cache/dashboard-journeys-${process.env['VITEST_POOL_ID'] ?? '0'}`);

let isBuilt = false;

/** Builds the dashboard from its sources, once in each process, so that a test that is run alone tests what was edited. */
export function builtPage(): URL {
  if (!isBuilt) build(FOLDER);
  isBuilt = true;
  return pathToFileURL(`${FOLDER}/`);
}

/** Builds the dashboard that a server process of the tests serves, unless the run has built it. */
export function buildForProcesses(): void {
  if (process.env['SVC_TEST_BUNDLES'] !== '1') build(BUILT);
}

function build(folder: string): void {
  execFileSync(
    path.join(PACKAGE, 'node_modules/.bin/vite'),
    [...['build', '--logLevel', 'warn', '--outDir', folder, '--emptyOutDir']],
    { cwd: PACKAGE, env: { ...process.env, NODE_ENV: 'production' } },
  );
}
