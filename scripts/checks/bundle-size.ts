import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type RolldownChunk } from 'tsdown';
import { root } from '../processes.ts';
import type { StepOutcome } from '../steps.ts';

/**
 * Limit of what a page that imports `createClient` loads at once, minified and gzipped. 160 bytes of it are the address and key from the
 * environment and the messages that say when one is missing. 300 bytes are the calls of the methods, which took a fifth longer through
 * openapi-fetch, and 400 are `close` and the place where spans are begun.
 */
const BYTES_MAX = 11_200;

type Chunk = Extract<RolldownChunk, { type: 'chunk' }>;

/** Bundles the built SDK for a page, and checks the size of `createClient` with its static imports and that no entry needs Node. */
export async function checkSdkBundle(): Promise<StepOutcome> {
  const entries = builtEntries();
  const bytes = await gzippedAtOnce(`export { createClient } from ${JSON.stringify(entries['.'])};`);
  const problems: string[] = [];
  if (bytes > BYTES_MAX) problems.push(`createClient costs ${bytes} bytes gzipped; at most ${BYTES_MAX} are allowed`);

  for (const [entry, file] of Object.entries(entries)) {
    const chunks = await bundle(`export * from ${JSON.stringify(file)};`);
    const names = new Set(chunks.map(({ fileName }) => fileName));
    const imported = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
    for (const specifier of new Set(imported.filter((name) => !names.has(name)))) {
      problems.push(`the entry ${entry} imports ${specifier}, which only some runtimes have`);
    }
  }
  const note = `createClient: ${bytes.toLocaleString('en')} of ${BYTES_MAX.toLocaleString('en')} bytes gzipped`;
  return { ok: problems.length === 0, output: problems.join('\n'), note };
}

/** Returns the bytes that a page with this source loads at once, minified and gzipped, without dynamic imports. */
export async function gzippedAtOnce(source: string): Promise<number> {
  const chunks = loadedAtOnce(await bundle(source));
  return chunks.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);
}

/** Returns the published file of each entry; in the workspace the package exports its sources. */
function builtEntries(): Readonly<Record<string, string>> {
  const folder = join(root, 'packages', 'sdk');
  const manifest: { publishConfig: { exports: Record<string, { default: string }> } } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const entries = Object.entries(manifest.publishConfig.exports);
  return Object.fromEntries(entries.map(([key, conditions]) => [key, join(folder, conditions.default)]));
}

/** Bundles a module with this source and its dependencies, in memory. */
async function bundle(source: string): Promise<Chunk[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bundle-'));
  try {
    const entry = join(folder, 'entry.js');
    writeFileSync(entry, source);
    const { bundles } = await build({
      config: false,
      cwd: folder,
      entry: { entry },
      write: false,
      dts: false,
      minify: true,
      // Annotations are for other bundlers.
      outputOptions: { comments: { annotation: false } },
      platform: 'browser',
      logLevel: 'error',
      deps: { alwaysBundle: [/^(?!node:)/], onlyBundle: false },
    });
    return bundles.flatMap(({ chunks }) => chunks).filter((chunk) => chunk.type === 'chunk');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the entry and its static imports. */
function loadedAtOnce(chunks: readonly Chunk[]): Chunk[] {
  const found = new Set<Chunk>();
  const visit = (chunk: Chunk | undefined): void => {
    if (chunk === undefined || found.has(chunk)) return;
    found.add(chunk);
    for (const name of chunk.imports) visit(chunks.find(({ fileName }) => fileName === name));
  };
  visit(chunks.find(({ isEntry }) => isEntry));
  if (found.size === 0) throw new Error('nothing was bundled');
  return [...found];
}
