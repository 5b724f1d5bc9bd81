/**
 * `npm run image [-- [--package mock] [FOLDER]]`: writes the folder that a container image of the server or the mock is built from (default:
 * `release/image/`, `release/image-mock/`): the program with exactly the dependencies of `pnpm-lock.yaml`, the list of what is inside
 * (CycloneDX), and `deploy/Containerfile` or `deploy/Containerfile.mock` with the version.
 */
import './pinned-node.ts';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse, stringify } from 'yaml';
import { build } from './build.ts';
import { root, run, tool } from './processes.ts';

/** Files that no program reads; without them the dependencies take half the space. */
const UNUSED = ['**/*.{map,md,ts,cts,mts,flow}', '**/test', '.bin', '.pnpm', '.*.yaml', '.*.json'];
/** PGlite for CommonJS, and the PostgreSQL extensions that no migration creates. */
const UNUSED_OF_PGLITE = ['@electric-sql/pglite/dist/**/*.{cjs,tar.gz}'];

interface Recipe {
  readonly target: string;
  readonly containerfile: string;
  /** Packages that the program serves as files, so that no import names them. */
  readonly servedPackages: readonly string[];
  /** Empty folders, whose owner a volume takes. */
  readonly volumes: readonly string[];
}

const RECIPES: Readonly<Record<string, Recipe>> = {
  server: {
    target: 'image',
    containerfile: 'Containerfile',
    servedPackages: ['@scalar/api-reference'],
    volumes: ['data'],
  },
  mock: { target: 'image-mock', containerfile: 'Containerfile.mock', servedPackages: [], volumes: [] },
};

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly devDependencies?: unknown;
};

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
}

interface ComponentList {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

// The image is read by another user, whatever the mask of this one.
process.umask(0o022);
const { values, positionals } = parseArgs({
  options: { package: { type: 'string', default: 'server' } },
  allowPositionals: true,
});
const packageName = values.package;
const recipe = RECIPES[packageName];
if (recipe === undefined) {
  process.stderr.write(`There is an image of ${Object.keys(RECIPES).join(' and ')}, not of ${packageName}.\n`);
  process.exit(2);
}
const packaged = join(root, 'packages', packageName);
const target = positionals[0] ?? join(root, 'release', recipe.target);
const { version } = readManifest(packaged);

if (!(await build({ packages: [packageName], quiet: true }))) process.exit(1);
const folder = mkdtempSync(join(tmpdir(), 'svc-image-'));
try {
  const app = join(folder, 'app');
  await unpackProgram(app);
  await installDependencies(app);
  writeFileSync(join(folder, 'sbom.cdx.json'), await listComponents(app, recipe));
  writeFileSync(join(folder, 'Dockerfile'), await containerfile(recipe));
  rmSync(target, { recursive: true, force: true });
  for (const name of recipe.volumes) mkdirSync(join(target, name), { recursive: true });
  for (const name of ['app', 'sbom.cdx.json', 'Dockerfile'])
    cpSync(join(folder, name), join(target, name), { recursive: true });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (process.exitCode === undefined) process.stdout.write(`${target}\n`);

/** Unpacks the tarball that would be published. */
async function unpackProgram(app: string): Promise<void> {
  const tarball = join(folder, 'program.tgz');
  mkdirSync(app);
  await mustRun(tool('pnpm'), ['pack', '--out', tarball], packaged);
  await mustRun('tar', ['--extract', '--gzip', '--file', tarball, '--strip-components=1', '--no-same-owner'], app);
  cpSync(join(root, 'LICENSE'), join(app, 'LICENSE'));
}

/** Installs the versions of `pnpm-lock.yaml`, compared with its hashes. No install script runs. */
async function installDependencies(app: string): Promise<void> {
  const { devDependencies: _, ...manifest } = readManifest(app);
  const { lockfileVersion, settings, importers, packages, snapshots } = parse(
    readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'),
  );
  const { dependencies } = importers[`packages/${packageName}`];
  const lockfile = join(app, 'pnpm-lock.yaml');
  writeFileSync(join(app, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // Everything that the mock needs is in its bundle.
  if (dependencies === undefined) return;
  writeFileSync(
    lockfile,
    stringify({ lockfileVersion, settings, importers: { '.': { dependencies } }, packages, snapshots }),
  );
  const layout = ['--config.node-linker=hoisted', '--package-import-method=copy'];
  const install = ['install', '--prod', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts', ...layout];
  await mustRun(tool('pnpm'), install, app);
  rmSync(lockfile);
  const modules = join(app, 'node_modules');
  for (const path of globSync([...UNUSED, ...UNUSED_OF_PGLITE], { cwd: modules }))
    rmSync(join(modules, path), { recursive: true, force: true });
}

/** Returns the CycloneDX document of the installed packages and of the packages that the bundle holds. */
async function listComponents(app: string, { servedPackages }: Recipe): Promise<string> {
  const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--omit', 'dev'];
  const list: ComponentList = JSON.parse(await mustRun('npm', ['sbom', ...options], app));
  const { name } = readManifest(app);
  const installed = new Set(list.components.map((component) => component['bom-ref']));
  const served = servedPackages.map((it) => join(packaged, 'node_modules', it));
  const bundled = [...bundledPackages(app), ...served]
    .map((path) => toComponent(readManifest(path)))
    .filter((component) => !installed.has(component['bom-ref']));
  const component = { ...list.metadata.component, name };
  const components = [...list.components, ...bundled];
  return `${JSON.stringify({ ...list, metadata: { ...list.metadata, component }, components }, null, 2)}\n`;
}

/** Returns the folders of the packages of which code was bundled. */
function bundledPackages(app: string): string[] {
  const dist = join(app, 'dist');
  const names = readdirSync(dist)
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => [
      // The bundler writes the origin above each module.
      ...readFileSync(join(dist, file), 'utf8').matchAll(
        /^\/\/(?:#region)? .*(node_modules\/\.pnpm\/[^/\n]+\/node_modules\/(?:@[^/\n]+\/)?[^/\n]+)\//gm,
      ),
    ])
    .map(([, path = '']) => path);
  if (names.length === 0) throw new Error(`${packaged}/dist does not say which packages it was bundled from`);
  return [...new Set(names)].map((path) => join(root, path));
}

function toComponent({ name, version: itsVersion, license }: Manifest): Component & Readonly<Record<string, unknown>> {
  return {
    'bom-ref': `${name}@${itsVersion}`,
    type: 'library',
    name,
    version: itsVersion,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${itsVersion}`,
    licenses: [{ license: { id: license } }],
    properties: [{ name: 'svc:bundled', value: 'true' }],
  };
}

async function containerfile({ containerfile: file }: Recipe): Promise<string> {
  const revision = (await run('git', ['rev-parse', 'HEAD'])).stdout.trim();
  return readFileSync(join(root, 'deploy', file), 'utf8')
    .replace('ARG VERSION=', `ARG VERSION=${version}`)
    .replace('ARG REVISION=', `ARG REVISION=${revision}`);
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
}

async function mustRun(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args[0]} failed:\n${output}`);
  return stdout;
}
