import { defineConfig } from 'vitest/config';

/** Runs the domain's tests for the mutation test: pure functions, so files share one process. */
export default defineConfig({
  test: {
    include: ['packages/domain/{src,test}/**/*.test.ts'],
    setupFiles: ['scripts/mutation/vitest.setup.ts'],
    isolate: false,
    // A timeout on a busy machine would count as a noticed mutant.
    testTimeout: 60_000,
  },
});
