/** Checks what each command loads, because start-up is most of a command's running time. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsdown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MockService, NOW, startMockService } from './support/mock-service.ts';
import { findCommand } from '../src/main/find-command.ts';
import { buildCli } from './support/run-cli.ts';

/** Packages that must be loaded by `await import()` and only when needed. */
const HEAVY = [
  'ink',
  'react',
  'react-reconciler',
  'yoga-layout',
  'conf',
  'csv-parse',
  'ajv',
  'undici',
  'hyparquet-writer',
  'jq-wasm',
  'zod',
  '@modelcontextprotocol/server',
];
/** Modules of Node that only some commands, connections or answers need; the first is its `fetch`. */
const HEAVY_BUILTINS = ['internal/deps/undici/undici', 'tls', 'zlib'];
interface Chunk {
  readonly imports: readonly string[];
  /** The npm packages whose modules it contains. */
  readonly packages: readonly string[];
}

const folder = fileURLToPath(new URL('..', import.meta.url));
const dist = join(folder, 'dist');
/** Chunks by file name relative to `dist`. */
const chunks = new Map<string, Chunk>();
let service: MockService;

beforeAll(async () => {
  await buildCli();
  // Bundles again in memory to learn which modules are in which file.
  await build({
    cwd: folder,
    config: join(folder, 'tsdown.config.ts'),
    write: false,
    clean: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'module-graph',
        generateBundle(_options, bundle) {
          for (const file of Object.values(bundle)) {
            if (file.type !== 'chunk') continue;
            const packages = new Set(file.moduleIds.map(packageOf).filter((name) => name !== null));
            chunks.set(file.fileName, { imports: file.imports, packages: [...packages] });
          }
        },
      },
    ],
  });
  service = await startMockService();
}, 120_000);
afterAll(() => service.close());

function packageOf(moduleId: string): string | null {
  return /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(moduleId)?.[1]?.replaceAll('\\', '/') ?? null;
}

/** Returns the packages in these files and in their static imports. */
function packagesOf(files: Iterable<string>): Set<string> {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const imported of chunks.get(file)?.imports ?? []) visit(imported);
  };
  for (const file of files) visit(file);
  return new Set([...reached].flatMap((file) => chunks.get(file)?.packages ?? []));
}

const among = (names: readonly string[], found: ReadonlySet<string>) => names.filter((name) => found.has(name));

test('the analysed bundle has the same files as dist', () => {
  const built = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  expect([...chunks.keys()].toSorted()).toEqual(built.map((file) => file.replaceAll('\\', '/')).toSorted());
});

test('the bundle contains all heavy packages', () => {
  expect(among(HEAVY, packagesOf(chunks.keys()))).toEqual(HEAVY);
});

test('no command imports anything heavy', () => {
  const commands = [...chunks.keys()].filter((file) => file.startsWith('commands/'));
  expect(commands.length).toBeGreaterThan(9);
  for (const file of ['run.js', ...commands]) {
    expect([file, among(HEAVY, packagesOf([file]))]).toEqual([file, []]);
  }
});

/** Each loaded file takes time, whatever its size. */
const FILES_MAX = 20;
const HELP_FILES_MAX = 12;

const PLAIN_COMMANDS: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ['status', ['status']],
  ['status as JSON', ['status', '--json']],
  ['a list', ['syncs', 'list', '--from', '2026-01', '--to', NOW]],
  ['an export', ['syncs', 'export', '--from', '2026-01', '--to', NOW, '--format', 'csv']],
  ['a resync with --wait', ['blocklists', 'resync', '99', '--wait']],
];

test.each(PLAIN_COMMANDS)('%s, piped, loads few files and no heavy package', async (_name, argv) => {
  const loaded = await filesLoadedBy(argv);
  expect(loaded).toContain('run.js');
  expect(among(HEAVY, packagesOf(loaded))).toEqual([]);
  expect(loaded.length).toBeLessThan(FILES_MAX);
});

test.each(PLAIN_COMMANDS)('%s, piped, loads no heavy module of Node', async (_name, argv) => {
  const loaded = await builtinsLoadedBy((env) => service.run(argv, { env }));
  expect(loaded).toContain('http');
  // Exports may write gzip.
  expect(among(HEAVY_BUILTINS, loaded)).toEqual(argv.includes('export') ? ['zlib'] : []);
});

test('the names of heavy Node modules are correct', async () => {
  const script = 'Request; require("node:tls"); require("node:zlib")';
  const loaded = await builtinsLoadedBy(async (env) => {
    await new Promise((resolve, reject) => {
      execFile(process.execPath, ['-e', script], { env }, (error) => (error === null ? resolve(null) : reject(error)));
    });
  });
  expect(among(HEAVY_BUILTINS, loaded)).toEqual(HEAVY_BUILTINS);
});

test.each([
  ['svc', []],
  ['--help', ['--help']],
  ['help', ['help']],
  ['help of a topic', ['syncs', '--help']],
  ['help of a command', ['syncs', 'list', '--help']],
])('%s loads no command file', async (_name, argv) => {
  const loaded = await filesLoadedBy(argv);
  expect(loaded).toContain('show-help.js');
  expect(loaded.filter((file) => file.startsWith('commands/'))).toEqual([]);
  expect(loaded).not.toContain('run-command.js');
  expect(loaded.length).toBeLessThan(HELP_FILES_MAX);
  const builtins = await builtinsLoadedBy((env) => service.run(argv, { env }));
  expect(among(['http', 'https', ...HEAVY_BUILTINS], builtins)).toEqual([]);
  expect(among(HEAVY, packagesOf(loaded))).toEqual([]);
});

test.each([
  ['the version', ['--version'], []],
  ['the version of a command', ['syncs', 'list', '-v'], []],
  ['a completion', ['__complete', 'bash', 'syncs', ''], ['run.js', 'show-help.js', 'run-command.js']],
])('%s does not load oclif', async (_name, argv, others) => {
  const loaded = await filesLoadedBy(argv);
  if (others.length === 0) expect(loaded).toEqual([]);
  else expect(loaded.filter((file) => others.includes(file))).toEqual([]);
});

test('findCommand finds every command of the manifest', () => {
  const { commands } = JSON.parse(readFileSync(join(folder, 'oclif.manifest.json'), 'utf8'));
  const ids = Object.keys(commands);
  expect(ids.length).toBeGreaterThan(9);
  for (const id of ids) {
    expect(findCommand(id.split(':'), pathToFileURL(join(dist, 'commands/')))).toMatchObject({ id, argv: [] });
  }
});

async function filesLoadedBy(argv: readonly string[]): Promise<string[]> {
  const coverage = mkdtempSync(join(tmpdir(), 'svc-cli-loaded-'));
  try {
    const { stdout, stderr } = await service.run(argv, { env: { NODE_V8_COVERAGE: coverage } });
    expect(stdout + stderr).not.toBe('');
    return loadedFiles(coverage);
  } finally {
    rmSync(coverage, { recursive: true });
  }
}

/** Returns Node's own modules that a process has loaded when it exits. */
async function builtinsLoadedBy(run: (env: Record<string, string>) => Promise<unknown>): Promise<Set<string>> {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-cli-builtins-'));
  const [probe, list] = [join(scratch, 'probe.mjs'), join(scratch, 'list.json')];
  const write = `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList))`;
  writeFileSync(probe, `process.on('exit', () => ${write});\n`);
  try {
    await run({ NODE_OPTIONS: `--import=${pathToFileURL(probe)}` });
    const names: string[] = JSON.parse(readFileSync(list, 'utf8'));
    return new Set(names.map((name) => name.replace(/^NativeModule /, '')));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Returns the bundle's files that appear in V8's coverage of a process. */
function loadedFiles(coverage: string): string[] {
  return readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8'));
    return result
      .map(({ url }: { url: string }) => (url.startsWith('file:') ? fileURLToPath(url) : ''))
      .filter((path: string) => path.startsWith(dist))
      .map((path: string) => relative(dist, path).replaceAll('\\', '/'));
  });
}
