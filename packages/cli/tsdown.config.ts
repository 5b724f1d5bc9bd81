import { globSync } from 'node:fs';
import { defineConfig } from 'tsdown';

/** One bundle per command, so that a command loads its own code only; `oclif manifest` then spares loading any to list them. */
const commands = globSync('src/commands/**/*.{ts,tsx}', { cwd: import.meta.dirname })
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .map((file) => [file.replace(/^src[\\/]/, '').replace(/\.tsx?$/, ''), file] as const);

export default defineConfig({
  entry: { run: 'src/entry/run.ts', ...Object.fromEntries(commands) },
  outDir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node22',
  tsconfig: 'tsconfig.json',
  minify: true,
  dts: false,
  hash: false,
  outExtensions: () => ({ js: '.js' }),
  define: { 'process.env.NODE_ENV': '"production"' },
  deps: {
    // The published package has no dependencies.
    alwaysBundle: [/.*/],
    // Loaded by oclif and ink in development only: without this they add 3.5 MB. The mock is found at run time, if installed.
    neverBundle: ['typescript', 'ts-node', 'tsx', 'react-devtools-core', '@svc/mock'],
    onlyBundle: false,
  },
});
