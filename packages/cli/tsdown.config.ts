import { globSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'tsdown';

/** One entry per command, so that a command loads only its own code. */
const commands = globSync('src/commands/**/*.{ts,tsx}', { cwd: import.meta.dirname })
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .map((file) => [file.replace(/^src[\\/]/, '').replace(/\.tsx?$/, ''), file] as const);

/** A module that this many commands share goes into `shared.js`. */
const SHARED_BY = 20;

/** What `run.js` and the help need of the shared modules: the rest would make them load oclif and the SDK. */
const START =
  /[\\/]src[\\/](?:errors[\\/].*|command[\\/](?:map|print)-error|terminal[\\/](?:colors|stderr|stdout))\.ts$/;

const fetchTypes = join(import.meta.dirname, 'src', 'http', 'fetch-types.ts');

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
  dts: false,
  outputOptions: {
    // Loading a file takes about as long as running its code, so shared modules are one file.
    codeSplitting: {
      groups: [
        { name: 'start', test: START, minShareCount: SHARED_BY, priority: 1 },
        { name: 'shared', minShareCount: SHARED_BY },
      ],
    },
  },
  hash: false,
  outExtensions: () => ({ js: '.js' }),
  define: {
    'process.env.NODE_ENV': '"production"',
    // CommonJS packages (jq-wasm) use `__dirname`.
    __dirname: 'import.meta.dirname',
  },
  // Replaces these globals also in the SDK, which takes only `fetch` as an argument (`docs/decisions/0024`).
  inputOptions: {
    transform: {
      inject: Object.fromEntries(
        ['Headers', 'Request', 'Response', 'FormData'].map((name) => [name, [fetchTypes, name]]),
      ),
    },
  },
  deps: {
    // The published package has no dependencies.
    alwaysBundle: [/.*/],
    // oclif and ink load the first four only in development; bundling them would add 3.5 MB. The mock is found at run time.
    neverBundle: ['typescript', 'ts-node', 'tsx', 'react-devtools-core', '@svc/mock'],
    onlyBundle: false,
  },
});
