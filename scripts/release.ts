import './pinned-node.ts';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.ts';
import { published } from './checks/packed.ts';
import { root, run, tool } from './processes.ts';

/** `npm run release`: builds the published packages and writes their tarballs to `release/`. The publisher signs and uploads them. */
const folder = join(root, 'release');
if (!(await build({ quiet: true }))) process.exit(1);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const name of published) {
  const cwd = join(root, 'packages', name);
  const { code, output } = await run(tool('pnpm'), ['pack', '--pack-destination', folder], { cwd });
  if (code !== 0) {
    process.stderr.write(output);
    process.exit(code);
  }
}
process.stdout.write(
  `${readdirSync(folder)
    .map((file) => `release/${file}\n`)
    .join('')}`,
);
