import { defineConfig } from 'vitest/config';

/** The suite under mutation: the embedded database alone, one file after the other, and what was compiled is kept. */
export default defineConfig({
  test: {
    include: ['packages/conformance/src/*.test.ts'],
    provide: { databaseUrl: null, chromium: null },
    pool: 'threads',
    maxWorkers: 1,
    fsModuleCache: true,
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
