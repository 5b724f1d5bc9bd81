import { globSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'tsdown';
import { lazyRequires } from './scripts/lazy-requires.ts';
import { mendJqWasm } from './scripts/mend-jq-wasm.ts';

/** One bundle per command, so that a command loads its own code only; `oclif manifest` then spares loading any to list them. */
const commands = globSync('src/commands/**/*.{ts,tsx}', { cwd: import.meta.dirname })
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .map((file) => [file.replace(/^src[\\/]/, '').replace(/\.tsx?$/, ''), file] as const);

/** So many commands make a module one of `shared.js`. */
const SHARED_BY = 20;

export default defineConfig({
  entry: {
    run: 'src/main/run.ts',
    complete: 'src/main/complete.ts',
    'compile-cache': join(import.meta.dirname, '..', '..', 'scripts', 'compile-cache.ts'),
    ...Object.fromEntries(commands),
  },
  outDir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node22',
  tsconfig: 'tsconfig.json',
  minify: true,
  plugins: [mendJqWasm(), lazyRequires()],
  dts: false,
  outputOptions: {
    // Each file costs about as much time as what is in it: what most commands share is one file, not forty.
    codeSplitting: { groups: [{ name: 'shared', minShareCount: SHARED_BY }] },
  },
  hash: false,
  outExtensions: () => ({ js: '.js' }),
  // CommonJS packages (jq-wasm) know a `__dirname`.
  define: { 'process.env.NODE_ENV': '"production"', __dirname: 'import.meta.dirname' },
  deps: {
    // The published package has no dependencies.
    alwaysBundle: [/.*/],
    // Loaded by oclif and ink in development only: without this they add 3.5 MB. The mock is found at run time, if installed.
    neverBundle: ['typescript', 'ts-node', 'tsx', 'react-devtools-core', '@svc/mock'],
    onlyBundle: false,
  },
});
