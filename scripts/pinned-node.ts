import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Every script imports this file first. The repository runs on the Node that it pins as a dependency, which npm scripts find first on
 * PATH. A script that is started with an older Node restarts itself with the pinned one. (A Node that is too old to strip types cannot read this
 * file: use `npm run` there.)
 */
const pinnedMajor = 24;
// The same as in setup.mjs. That file cannot be imported, because it installs.
const isWindows = process.platform === 'win32';
const nodePackage = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
const binary = join(modules, nodePackage, 'bin', isWindows ? 'node.exe' : 'node');

if (Number(process.versions.node.split('.')[0]) < pinnedMajor) {
  if (!existsSync(binary) || process.env.SVC_PINNED_NODE === '1') {
    process.stderr.write(`Node ${pinnedMajor} is needed, this is ${process.version}. Run: npm run setup\n`);
    process.exit(1);
  }
  const result = spawnSync(binary, process.argv.slice(1), {
    stdio: 'inherit',
    env: {
      ...process.env,
      SVC_PINNED_NODE: '1',
      PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH ?? ''}`,
    },
  });
  process.exit(result.status ?? 1);
}
