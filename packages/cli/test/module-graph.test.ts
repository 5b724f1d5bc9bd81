/** What a command loads: start-up is most of the time that a command takes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MockService, NOW, startMockService } from './mock-service.ts';
import { buildCli } from './run-cli.ts';

/** Loaded by `await import()` alone, by those commands and in those cases that need them. */
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
];
/** Never loaded by anything: it would be in the way of every command that brings it along. */
const NEVER = ['zod'];

interface Chunk {
  readonly imports: readonly string[];
  /** npm packages that it holds a part of. */
  readonly packages: readonly string[];
}

const folder = fileURLToPath(new URL('..', import.meta.url));
const dist = join(folder, 'dist');
/** By file name relative to `dist`. */
const chunks = new Map<string, Chunk>();
let service: MockService;

beforeAll(async () => {
  await buildCli();
  // The same bundle once more, for what the files themselves do not say: which modules went into which of them.
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

/** The packages of files and of all that they import statically. */
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

test('the graph is that of the bundle that is tested and published', () => {
  const built = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  expect([...chunks.keys()].toSorted()).toEqual(built.map((file) => file.replaceAll('\\', '/')).toSorted());
});

test('what is heavy is in the bundle, or this file would prove nothing', () => {
  const all = packagesOf(chunks.keys());
  expect(among(HEAVY, all)).toEqual(HEAVY);
  expect(among(NEVER, all)).toEqual([]);
});

test('no command imports anything heavy', () => {
  const commands = [...chunks.keys()].filter((file) => file.startsWith('commands/'));
  expect(commands.length).toBeGreaterThan(9);
  for (const file of ['run.js', ...commands]) {
    expect([file, among(HEAVY, packagesOf([file]))]).toEqual([file, []]);
  }
});

test.each([
  ['status', ['status']],
  ['status as JSON', ['status', '--json']],
  ['a list', ['syncs', 'list', '--from', '2026-01', '--to', NOW]],
  ['an export', ['syncs', 'export', '--from', '2026-01', '--to', NOW, '--format', 'csv']],
  ['a resync that is waited for', ['blocklists', 'resync', '99', '--wait']],
])('%s, piped, loads nothing heavy', async (_name, argv) => {
  const coverage = mkdtempSync(join(tmpdir(), 'svc-cli-loaded-'));
  try {
    const { stdout, stderr } = await service.run(argv, { env: { NODE_V8_COVERAGE: coverage } });
    expect(stdout + stderr).not.toBe('');
    const loaded = loadedFiles(coverage);
    expect(loaded).toContain('run.js');
    expect(among(HEAVY, packagesOf(loaded))).toEqual([]);
  } finally {
    rmSync(coverage, { recursive: true });
  }
});

/** Files of the bundle that a process has loaded, as V8 has written down. */
function loadedFiles(coverage: string): string[] {
  return readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8'));
    return result
      .map(({ url }: { url: string }) => (url.startsWith('file:') ? fileURLToPath(url) : ''))
      .filter((path: string) => path.startsWith(dist))
      .map((path: string) => relative(dist, path).replaceAll('\\', '/'));
  });
}
