/**
 * The compiled code of the embedded database.
 *
 * V8 compiles a function of WebAssembly quickly at its first call, and a second time, optimized, when it counts as hot. PGlite's SQL
 * parser is one function of 105 kB. V8 finds it hot after a few statements, because it charges each round of its loop with the size of the
 * function, and optimizing it takes 600 MB of memory and 3 s of CPU time; the second largest takes 41 MB. A parser without optimization
 * costs a statement that is not prepared 0.1 to 0.2 ms more, and the hot statements are prepared. So the parser stays as it is first compiled.
 */
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { applyPostponedOptimization } from '../../runtime/postponed-optimization.ts';

/** PGlite exports all functions of PostgreSQL, for extensions. */
const PARSER = 'raw_parser';
/** Functions whose first compilation happens under this flag are not counted. It names the only exception, which is an import here. */
const COUNTS_NO_CALLS = '--wasm-tier-up-filter=0';
const COUNTS_ALL_CALLS = '--wasm-tier-up-filter=-1';
/** The size that PGlite gives its memory, in pages of 64 kB. */
const MEMORY = { initial: 2_048, maximum: 32_768 };

/** The part that is used here of a global that the types of Node leave out. */
declare const WebAssembly: {
  compile(code: Uint8Array): Promise<PgliteModule>;
  Module: { imports(module: PgliteModule): { module: string; name: string; kind: string }[] };
  Memory: new (pages: typeof MEMORY) => object;
  Instance: new (
    module: PgliteModule,
    imports: Readonly<Record<string, Readonly<Record<string, object>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

/** A `WebAssembly.Module`. */
type PgliteModule = object;

let compiled: Promise<PgliteModule> | undefined;

/** Compiles PGlite's code, once per process: its databases share it. */
export function compilePglite(): Promise<PgliteModule> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<PgliteModule> {
  const manifest = findPackageJSON('@electric-sql/pglite', import.meta.url);
  if (manifest === undefined) throw new Error('the package @electric-sql/pglite is missing');
  applyPostponedOptimization();
  const module = await WebAssembly.compile(await readFile(new URL('dist/pglite.wasm', pathToFileURL(manifest))));
  callParser(module);
  return module;
}

/** Calls the parser in an instance without content: the call fails, but only after V8 has compiled the function for all instances. */
function callParser(module: PgliteModule): void {
  const imports: Record<string, Record<string, object>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [name]: kind === 'memory' ? new WebAssembly.Memory(MEMORY) : () => 0 };
  }
  const parse = new WebAssembly.Instance(module, imports).exports[PARSER];
  if (typeof parse !== 'function') throw new Error(`this version of PGlite exports no ${PARSER}`);
  setFlagsFromString(COUNTS_NO_CALLS);
  try {
    parse(0, 0);
  } catch {
    // It reads a table that only PGlite fills.
  } finally {
    setFlagsFromString(COUNTS_ALL_CALLS);
  }
}
