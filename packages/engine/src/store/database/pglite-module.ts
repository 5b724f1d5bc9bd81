/**
 * The compiled code of the embedded database.
 *
 * V8 compiles a function of WebAssembly quickly at its first call, and a second time, optimized, when it counts as hot. PGlite's SQL
 * parser is one function of 105 kB. V8 finds it hot after a few statements, because it charges each round of its loop with the size of the
 * function, and optimizing it takes 600 MB of memory and 3 s of CPU time; the second largest takes 41 MB. A parser without optimization
 * costs a statement that is not prepared 0.1 to 0.2 ms more, and the hot statements are prepared. So the parser stays as it is first compiled.
 */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { PGlite } from '@electric-sql/pglite';
import { loadOnce } from '../../runtime/load-once.ts';
import { applyPostponedOptimization } from '../../runtime/postponed-optimization.ts';

/** PGlite exports all functions of PostgreSQL, for extensions. */
const PARSER = '_raw_parser';
/** Functions whose first compilation happens under this flag are not counted. It names the only exception, which is an import here. */
const COUNTS_NO_CALLS = '--wasm-tier-up-filter=0';
const COUNTS_ALL_CALLS = '--wasm-tier-up-filter=-1';

/** The part that is used here of a global that the types of Node leave out. */
declare const WebAssembly: { compile(code: Uint8Array): Promise<PgliteModule> };

/** A `WebAssembly.Module`. */
type PgliteModule = object;

/** Compiles PGlite's code, once per process: its databases share it. Much of that happens in other threads. */
export const compilePglite = loadOnce(compile);

async function compile(): Promise<PgliteModule> {
  const manifest = findPackageJSON('@electric-sql/pglite', import.meta.url);
  if (manifest === undefined) throw new Error('the package @electric-sql/pglite is missing');
  applyPostponedOptimization();
  // Synchronous, so that the other threads have it while this one is busy.
  return WebAssembly.compile(readFileSync(new URL('dist/pglite.wasm', pathToFileURL(manifest))));
}

/** Has the parser compiled before the first statement: V8 does it once for all databases. */
export function compileParser({ Module: functions }: PGlite): void {
  const parse: unknown = Reflect.get(functions, PARSER);
  if (typeof parse !== 'function') throw new Error(`this version of PGlite exports no ${PARSER}`);
  const stack = functions.stackSave();
  setFlagsFromString(COUNTS_NO_CALLS);
  try {
    parse(functions.stringToUTF8OnStack(''), 0);
  } finally {
    setFlagsFromString(COUNTS_ALL_CALLS);
    functions.stackRestore(stack);
  }
}
