import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Imported first by every script here. The repository runs on the Node that it pins as a dev dependency; inside npm scripts
 * that one is first on PATH after `setup`. Called by hand with another Node, a script starts itself again on the pinned one.
 * (A Node too old to strip types cannot even read this file: `npm run` it then.)
 */
const pinnedMajor = 24;
const pinned = `node-${process.platform}-${process.arch}`;
const binary = fileURLToPath(new URL(`../node_modules/${pinned}/bin/node`, import.meta.url));

if (Number(process.versions.node.split('.')[0]) < pinnedMajor) {
  if (!existsSync(binary) || process.env.SVC_PINNED_NODE === '1') {
    process.stderr.write(`Node ${pinnedMajor} is needed, this is ${process.version}. Run: npm run setup\n`);
    process.exit(1);
  }
  const bin = join(fileURLToPath(new URL('..', import.meta.url)), 'node_modules', '.bin');
  const result = spawnSync(binary, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, SVC_PINNED_NODE: '1', PATH: `${bin}:${process.env.PATH ?? ''}` },
  });
  process.exit(result.status ?? 1);
}
