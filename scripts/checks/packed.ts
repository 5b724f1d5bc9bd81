import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { root, run, runTsc, tool } from '../processes.ts';
import type { StepOutcome } from '../steps.ts';

export const published: readonly string[] = ['sdk', 'cli', 'server', 'mock'];

/** Files that no import leads to, so no other check would notice that they are missing. */
const needed: Readonly<Record<string, readonly string[]>> = {
  server: [
    'dist/pglite-template.tar.zst',
    'dist/api-reference.js.gz',
    'dist/api-reference.LICENSE.txt',
    'dist/mcp.LICENSE.txt',
    'dist/dashboard/index.html',
    'dist/docs/cli.md',
    'dist/dashboard/LICENSES.md',
  ],
  // The licence of zod, which is bundled; the notes for agents that use the package.
  sdk: ['dist/validate.LICENSE.txt', 'AGENTS.md'],
  // The licence of the MCP SDK, which is bundled; the skill of agents that use the command line.
  cli: ['dist/mcp.LICENSE.txt', 'skills/sequencer-crm-sync/SKILL.md'],
  // Only bundlers for pages load it.
  mock: ['dist/browser.js'],
};

type Manifest = {
  readonly name: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/** Packs a package as for publishing and checks the tarball: content, publint, attw, programs, types. */
export async function checkPacked(name: string): Promise<StepOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-packed-'));
  try {
    const source = join(root, 'packages', name);
    const packed = await run(tool('pnpm'), ['pack', '--pack-destination', folder], { cwd: source });
    const file = readdirSync(folder).find((entry) => entry.endsWith('.tgz'));
    if (packed.code !== 0 || file === undefined) return { ok: false, output: `pnpm pack failed:\n${packed.output}` };
    const tarball = join(folder, file);

    const content = join(folder, 'node_modules', '@svc', name);
    mkdirSync(content, { recursive: true });
    const untar = await run('tar', ['-xzf', tarball, '-C', content, '--strip-components=1']);
    if (untar.code !== 0) return { ok: false, output: untar.output };
    const manifest: Manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'));
    const files = filesBelow(content);

    const problems = contentProblems(content, files, manifest);
    for (const path of needed[name] ?? []) if (!files.includes(path)) problems.push(`${path} is missing`);
    const publint = await run(tool('publint'), [tarball, '--strict']);
    if (publint.code !== 0) problems.push(publint.output);
    problems.push(...linkDependencies(folder, name, [...Object.keys(manifest.dependencies ?? {}), '@types/node']));
    problems.push(...(await startProblems(folder, content, manifest)));
    // Only libraries have types.
    if (manifest.exports !== undefined) {
      const attw = await run(tool('attw'), [tarball, '--profile', 'esm-only', '--no-emoji']);
      if (attw.code !== 0) problems.push(attw.output);
      // Types may name a peer; programs and library have started without it.
      problems.push(...linkDependencies(folder, name, Object.keys(manifest.peerDependencies ?? {})));
      problems.push(...(await typeProblems(folder, name, manifest)));
    }
    const size = files.reduce((sum, path) => sum + readFileSync(join(content, path)).length, 0);
    return {
      ok: problems.length === 0,
      output: problems.join('\n'),
      note: `${files.length} files, ${(size / 1e6).toFixed(2)} MB`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function contentProblems(content: string, files: readonly string[], manifest: Manifest): string[] {
  const problems: string[] = [];
  if (!files.some((path) => path.startsWith('dist/'))) problems.push('nothing of dist is in the tarball');
  for (const path of files) {
    if (/^(src|test|node_modules)\//.test(path) || /(^|\/)\.[^/]+$/.test(path))
      problems.push(`${path} does not belong here`);
    const text = /\.(js|ts|mjs|json|map|md|yaml)$/.test(path) ? readFileSync(join(content, path), 'utf8') : '';
    if (text.includes('workspace:')) problems.push(`${path} contains workspace:`);
    if (text.includes(root) || /file:\/\/\/\w/.test(text))
      problems.push(`${path} holds an absolute path of this machine`);
    for (const [, specifier] of text.matchAll(/(?:from|import\(?)\s*['"](@svc\/[^'"]+)['"]/g)) {
      if (specifier !== undefined && isPrivate(specifier))
        problems.push(`${path} imports ${specifier}, which is not published`);
    }
  }
  const needed = { ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies };
  for (const dependency of Object.keys(needed)) {
    if (isPrivate(dependency)) problems.push(`package.json depends on ${dependency}, which is not published`);
  }
  return problems;
}

/** Links the dependencies that an installation would put next to the package. */
function linkDependencies(folder: string, name: string, dependencies: readonly string[]): string[] {
  const installed = [join(root, 'packages', name, 'node_modules'), join(root, 'node_modules')];
  return dependencies.flatMap((dependency) => {
    const source = installed.map((modules) => join(modules, dependency)).find((path) => existsSync(path));
    if (source === undefined) return [`${dependency} is not installed`];
    const link = join(folder, 'node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(realpathSync(source), link);
    return [];
  });
}

/** Compiles a consumer without `skipLibCheck`: attw checks that types are found, this that they compile. */
async function typeProblems(folder: string, name: string, manifest: Manifest): Promise<string[]> {
  const entries = entriesOf(manifest);
  const imports = entries.map((entry, index) => `import * as it${index} from '${entry}';\n`);
  const names = entries.map((_, index) => `...Object.keys(it${index})`);
  const consumer = `${imports.join('')}export const names = [${names.join(', ')}];\n`;
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'consumer.ts'), consumer);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  const { output } = await runTsc([...options, 'consumer.ts'], { cwd: folder });
  // Errors in the declarations of dependencies are ignored.
  const ours = output.split('\n').filter((line) => line.startsWith('consumer.ts') || line.includes(`@svc/${name}/`));
  return ours.length > 0 ? [`the published types do not compile:\n${ours.join('\n')}`] : [];
}

/** Starts each program and imports each entry, to find what is missing in the tarball. */
async function startProblems(folder: string, content: string, manifest: Manifest): Promise<string[]> {
  const programs = Object.values(manifest.bin ?? {}).map((file) => [join(content, file), '--help']);
  const libraries = entriesOf(manifest).map((entry) => ['--input-type=module', '-e', `await import('${entry}')`]);
  const problems: string[] = [];
  for (const args of [...programs, ...libraries]) {
    const { code, output } = await run(process.execPath, args, { cwd: folder });
    if (code !== 0) problems.push(`node ${args.join(' ')} exits with ${code}:\n${output}`);
  }
  return problems;
}

/** Returns what a consumer may import: the package and each exported subpath. */
function entriesOf({ name, exports }: Manifest): string[] {
  if (exports === undefined) return [];
  const keys = typeof exports === 'object' && exports !== null ? Object.keys(exports) : ['.'];
  return keys.filter((key) => key === '.' || key.startsWith('./')).map((key) => name + key.slice(1));
}

function isPrivate(specifier: string): boolean {
  return /^@svc\/(contract|domain|sequencers|crm|simulators|fixtures|conformance|bench)(\/|$)/.test(specifier);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
