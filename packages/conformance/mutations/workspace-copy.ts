/** A copy of the working tree in which files can be broken while nobody else notices. */
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { root, run } from '../../../scripts/processes.ts';

/** Built, and so not part of the tree; without it every embedded database would be made step by step. */
const BUILT = ['packages/server/dist/pglite-template.tar.gz'];

/** Files that are tracked, and those that are new and not ignored, as they are now. */
async function filesOfTree(): Promise<string[]> {
  const { code, stdout, output } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  if (code !== 0) throw new Error(`git could not list the files of the tree: ${output}`);
  // A deleted file is listed until the deletion is committed, and one in conflict several times.
  return [...new Set(stdout.split('\0'))].filter((file) => file !== '' && existsSync(join(root, file)));
}

/** Copies the tree into a folder that does not exist yet, with dependencies that are those of the original. */
export async function copyWorkspace(folder: string): Promise<void> {
  const files = await filesOfTree();
  for (const file of [...files, ...BUILT.filter((built) => existsSync(join(root, built)))]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  const packages = files.filter((file) => file.endsWith('package.json')).map((file) => dirname(file));
  for (const name of new Set(packages)) {
    const modules = join(root, name, 'node_modules');
    if (existsSync(modules)) linkModules(modules, join(folder, name, 'node_modules'), folder);
  }
}

/** Links to packages of the workspace lead into the copy; everything else is shared. */
function linkModules(from: string, to: string, copy: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const entry = join(from, name);
    // Caches are written to.
    if (name.startsWith('.vite')) continue;
    if (name.startsWith('@') && lstatSync(entry).isDirectory()) {
      linkModules(entry, join(to, name), copy);
      continue;
    }
    const target = realpathSync(entry);
    symlinkSync(isOfWorkspace(target) ? join(copy, relative(root, target)) : target, join(to, name));
  }
}

function isOfWorkspace(target: string): boolean {
  const path = relative(realpathSync(root), target);
  return !path.startsWith('..') && !path.split(sep).includes('node_modules');
}
