import './pinned-node.ts';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { buildDocuments } from '../packages/server/scripts/build-documents.ts';
import { type RunResult, root, run, tool } from './processes.ts';
import { runSteps, type Step, type StepOutcome } from './steps.ts';

export type BuildOptions = {
  /** Folder names under `packages/`; default: all that are built. */
  readonly packages?: readonly string[];
  /** Print only changed packages and failures. */
  readonly quiet?: boolean;
  /** Whether the server's declaration files are written, which take longer than its bundle. Only importers need them. Default true. */
  readonly declarations?: boolean;
};

type Recipe = {
  readonly entry: string;
  /** Packages that are built before, because this one contains their products. */
  readonly needs?: readonly string[];
  /** Makes the bundle. Default: with tsdown. */
  readonly bundle?: (folder: string, declarations: boolean) => Promise<RunResult>;
  /** Runs after the bundle; returns the problem, or null. */
  readonly finish?: (folder: string) => Promise<string | null>;
  /** Files, relative to the package, that must exist after the build. */
  readonly products?: readonly string[];
};

const templateFile = 'pglite-template.tar.zst';
const stamp = '.build-stamp';

const recipes: Readonly<Record<string, Recipe>> = {
  sdk: {
    entry: 'src/index.ts',
    finish: copyZodLicense,
    products: [
      'dist/validate.LICENSE.txt',
      ...['webhooks', 'validate'].flatMap((it) => [`dist/${it}.js`, `dist/${it}.d.ts`]),
    ],
  },
  dashboard: {
    entry: 'src/main.tsx',
    bundle: (folder) => run(tool('vite', 'packages/dashboard'), ['build', '--logLevel', 'warn'], { cwd: folder }),
    products: ['dist/index.html', 'dist/LICENSES.md'],
  },
  server: {
    entry: 'src/main/main.ts',
    needs: ['dashboard'],
    finish: finishServer,
    products: [
      'dist/api-reference.js.gz',
      'dist/api-reference.LICENSE.txt',
      'dist/dashboard/index.html',
      'dist/opentelemetry.LICENSE.txt',
      'dist/mcp.LICENSE.txt',
      `dist/${templateFile}`,
    ],
  },
  mock: {
    entry: 'src/main.ts',
    products: ['dist/index.js', 'dist/index.d.ts', 'dist/browser.js'],
  },
  cli: {
    entry: 'src/main/run.ts',
    finish: finishCli,
    products: ['oclif.manifest.json', 'dist/mcp.LICENSE.txt'],
  },
};

/** Inputs of every bundle. */
const shared = [
  'scripts/build.ts',
  'scripts/compile-cache.ts',
  'tsconfig.base.json',
  'tsconfig.json',
  'tsconfig.dts.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
];

/**
 * Bundles the published packages whose inputs have changed. The hash of the inputs is stored in `dist`, so a deleted or incomplete `dist`
 * is built again.
 *
 * @returns whether everything was built; problems are on stderr
 */
export async function build(options: BuildOptions = {}): Promise<boolean> {
  const names = options.packages ?? Object.keys(recipes);
  const started = new Map<string, Promise<StepOutcome>>();
  const buildOnce = (name: string): Promise<StepOutcome> => {
    const building = started.get(name) ?? buildPackage(name, options.declarations ?? true, buildOnce);
    started.set(name, building);
    return building;
  };
  const steps = names.map((name): Step => ({ name: `build ${name}`, run: () => buildOnce(name) }));
  const results = await runSteps(steps, { hideUnchanged: options.quiet === true });
  return results.every((result) => result.ok);
}

async function buildPackage(
  name: string,
  declarations: boolean,
  buildOnce: (name: string) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  const recipe = recipes[name];
  if (recipe === undefined) return { ok: false, output: `no such package to build: ${name}` };
  const folder = join(root, 'packages', name);
  if (!existsSync(join(folder, recipe.entry))) {
    return { ok: false, output: `packages/${name}/${recipe.entry} is missing\n` };
  }
  // The server's bundle comes with the template, whose inputs are among those of the bundle. It takes longer than anything else here.
  const buildingTemplate = name === 'server' ? buildTemplate() : null;
  for (const needed of recipe.needs ?? []) {
    const outcome = await buildOnce(needed);
    if (!outcome.ok) return { ok: false, output: `packages/${needed} is not built\n${outcome.output}` };
  }

  const inputs = hashOf(...shared.map((file) => join(root, file)), ...inputsOf(name));
  const stampFile = join(folder, 'dist', stamp);
  const built = declarations || name !== 'server' ? inputs : `${inputs} without declarations`;
  const isFresh =
    [inputs, built].includes(readText(stampFile) ?? '') &&
    (recipe.products ?? []).every((file) => existsSync(join(folder, file)));
  if (!isFresh) rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const [template, bundle] = await Promise.all([
    buildingTemplate,
    isFresh ? null : (recipe.bundle ?? bundleLibrary)(folder, built === inputs),
  ]);
  if (template?.ok === false) return template;
  if (bundle !== null) {
    if (bundle.code !== 0) return { ok: false, output: bundle.output.replaceAll(/^ +at .*\n/gm, '') };
    const problem = (await recipe.finish?.(folder)) ?? null;
    if (problem !== null) return { ok: false, output: problem };
  }
  // Documents change more often than the code: they are written without a new bundle.
  if (name === 'server') await buildDocuments();
  if (!isFresh) writeFileSync(stampFile, built);
  const isUnchanged = isFresh && template?.unchanged !== false;
  return { ok: true, output: '', unchanged: isUnchanged, note: isUnchanged ? 'unchanged' : '' };
}

function bundleLibrary(folder: string, declarations: boolean): Promise<RunResult> {
  const options = ['--no-clean', '--logLevel', 'warn', ...(declarations ? [] : ['--no-dts'])];
  return run(tool('tsdown'), options, { cwd: folder });
}

/**
 * Writes the list of commands and flags, which oclif reads instead of importing every command, and the licence of the MCP SDK, of which
 * the bundle holds a copy.
 */
async function finishCli(folder: string): Promise<string | null> {
  if (!existsSync(join(folder, 'dist', 'commands'))) return 'dist/commands is missing: no commands were bundled\n';
  copyMcpLicense(folder);
  const result = await run(process.execPath, [join(folder, 'scripts', 'manifest.ts')], { cwd: folder });
  return result.code === 0 ? null : result.output;
}

function copyMcpLicense(folder: string): void {
  const licence = join(root, 'packages', 'mcp', 'node_modules', '@modelcontextprotocol', 'server', 'LICENSE');
  writeFileSync(join(folder, 'dist', 'mcp.LICENSE.txt'), readFileSync(licence));
}

/** Adds the licence of zod, of which `validate` holds a copy. */
async function copyZodLicense(folder: string): Promise<string | null> {
  const licence = join(root, 'packages', 'contract', 'node_modules', 'zod', 'LICENSE');
  writeFileSync(join(folder, 'dist', 'validate.LICENSE.txt'), readFileSync(licence));
  return null;
}

/**
 * Bundles the script of the reference documentation, which the server serves as a file, and adds the dashboard, the template of the
 * embedded database and the licence of OpenTelemetry, of which the bundle holds a copy.
 */
async function finishServer(folder: string): Promise<string | null> {
  const engine = join(root, 'packages', 'engine');
  cpSync(join(root, 'packages', 'dashboard', 'dist'), join(folder, 'dist', 'dashboard'), {
    recursive: true,
    // The stamp, and what only the bundler reads.
    filter: (file) => !basename(file).startsWith('.'),
  });
  copyFileSync(join(engine, 'dist', templateFile), join(folder, 'dist', templateFile));
  const licence = join(engine, 'node_modules', '@opentelemetry', 'sdk-trace', 'LICENSE');
  writeFileSync(join(folder, 'dist', 'opentelemetry.LICENSE.txt'), readFileSync(licence));
  copyMcpLicense(folder);
  const result = await run(process.execPath, [join(folder, 'scripts', 'build-reference.ts')], { cwd: folder });
  return result.code === 0 ? null : result.output;
}

/**
 * Creates the prepared data directory of the embedded database: loading it takes a second, creating one five to eleven. It
 * depends on less than the bundle does.
 */
async function buildTemplate(): Promise<{ ok: boolean; output: string; unchanged: boolean }> {
  const folder = join(root, 'packages', 'engine');
  const script = join(folder, 'scripts', 'build-template.ts');
  const pglite = join(folder, 'node_modules', '@electric-sql', 'pglite', 'package.json');
  const inputs = hashOf(script, pglite, ...filesBelow(join(folder, 'src', 'store')));
  const product = join(folder, 'dist', templateFile);
  const stampFile = join(folder, 'dist', stamp);
  if (existsSync(product) && readText(stampFile) === inputs) return { ok: true, output: '', unchanged: true };

  rmSync(stampFile, { force: true });
  const result = await run(process.execPath, [script], { cwd: folder });
  if (result.code !== 0) return { ok: false, output: result.output, unchanged: false };
  if (!existsSync(product))
    return { ok: false, output: `${script} did not write dist/${templateFile}\n`, unchanged: false };
  writeFileSync(stampFile, inputs);
  return { ok: true, output: '', unchanged: false };
}

/** Returns the files of a package and of the workspace packages that are bundled into it. */
function inputsOf(name: string, seen = new Set<string>()): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const folder = name === 'fixtures' ? join(root, name) : join(root, 'packages', name);
  const manifest: Partial<Record<'dependencies' | 'devDependencies', Record<string, string>>> = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const ours = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    .filter(([, version]) => version.startsWith('workspace:'))
    .map(([dependency]) => dependency.replace('@svc/', ''));
  return [...filesBelow(folder), ...ours.flatMap((dependency) => inputsOf(dependency, seen))];
}

/** Returns all files that can become part of a bundle: no tests, no products. */
function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const ignored = new Set(['node_modules', 'dist', 'test', 'coverage', 'oclif.manifest.json']);
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (ignored.has(entry.name) || entry.name.startsWith('.') || /\.(test\.tsx?|test-d\.ts|md)$/.test(entry.name))
      return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

function hashOf(...files: string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of [...new Set(files)].sort()) {
    hash.update(`\n${relative(root, file).split(sep).join('/')}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function readText(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quiet: { type: 'boolean', default: false } },
  });
  const chosen = positionals.length > 0 ? { packages: positionals } : {};
  process.exitCode = (await build({ ...chosen, quiet: values.quiet })) ? 0 : 1;
}
