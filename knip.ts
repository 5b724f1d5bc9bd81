import { existsSync } from 'node:fs';
import type { KnipConfig } from 'knip';

/** Knip also reads the published bundle, when there is one, and sees there that the server needs prom-client. */
const isBuilt = existsSync(new URL('packages/server/dist/index.js', import.meta.url));

export default {
  // A type that only its own file uses may be exported: it names a parameter or result of an exported function.
  ignoreExportsUsedInFile: { interface: true, type: true },
  ignoreBinaries: [
    'age',
    'age-keygen',
    'epmd',
    'ip',
    'mount',
    'nginx',
    'nsenter',
    'openssl',
    'pg_config',
    'pg_dump',
    'pgbench',
    'pgbouncer',
    'prometheus',
    'promtool',
    'runc',
    'script',
    'umount',
  ],
  workspaces: {
    '.': {
      entry: ['scripts/*.ts', 'scripts/vitest/*.ts', 'scripts/mutation/vitest.*.ts'],
      project: ['scripts/**/*.{ts,mjs}', '*.ts'],
      ignoreDependencies: [
        // Run by path from scripts/ (`tool('attw')`).
        '@arethetypeswrong/cli',
        '@typescript/native',
        'pnpm',
        // Dependencies that put `svc` and `svc-server` into node_modules/.bin.
        '@svc/cli',
        '@svc/server',
      ],
    },
    bench: {
      // Files that are run as processes.
      entry: ['*.bench.ts', 'scaling-docs.ts', 'peers/*-server.ts', 'support/{*-server,fetch-to-file,peak-memory}.ts'],
      project: ['**/*.ts'],
      // Benchmarked in the SDK's version.
      ignoreDependencies: ['openapi-fetch'],
    },
    fixtures: { entry: ['*.ts'], project: ['**/*.ts'] },
    'packages/contract': { entry: ['scripts/*.ts'], project: ['{src,test,scripts}/**/*.ts'] },
    'packages/domain': { project: ['{src,test}/**/*.ts'] },
    'packages/sdk': {
      // A test compiles these against the tarball; examples of the README.
      entry: ['test/packed/consumer/*.{ts,cts}', 'test/readme/*.ts'],
      project: ['{src,test}/**/*.ts'],
    },
    'packages/cli': {
      entry: ['src/commands/**/*.{ts,tsx}', 'scripts/{docs,manifest}.ts', 'src/http/fetch-types.ts'],
      project: ['{src,test,scripts}/**/*.{ts,tsx}'],
    },
    'packages/sequencers': { entry: ['scripts/*.ts'], project: ['{src,test,scripts}/**/*.ts'] },
    'packages/engine': { entry: ['scripts/*.ts'], project: ['{src,test,scripts}/**/*.ts'] },
    'packages/operations': { project: ['{src,test}/**/*.ts'] },
    'packages/server': {
      entry: ['scripts/*.ts'],
      project: ['{src,test,scripts}/**/*.ts'],
      // The engine's dependencies are installed with the bundle. A test writes a file that imports kubernetes-types. The build copies the
      // files of the dashboard.
      ignoreDependencies: [
        '@svc/dashboard',
        '@electric-sql/pglite',
        'fastest-levenshtein',
        'nodemailer',
        'kubernetes-types',
        ...(isBuilt ? [] : ['prom-client']),
      ],
    },
    'packages/dashboard': {
      entry: ['scripts/*.ts'],
      project: ['{src,test,scripts}/**/*.{ts,tsx}'],
    },
    'packages/mock': {
      // A test bundles this for a page.
      entry: ['test/browser/page.ts', 'scripts/*.ts'],
      project: ['{src,test,scripts}/**/*.ts'],
    },
    'packages/conformance': {
      entry: ['scripts/*.ts'],
      project: ['{src,scripts}/**/*.ts'],
    },
  },
} satisfies KnipConfig;
