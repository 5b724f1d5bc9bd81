import { defineConfig } from 'vitest/config';

/** The domain's tests under mutation: pure functions, so no file needs a process or a setup of its own. */
export default defineConfig({
  test: {
    include: ['packages/domain/{src,test}/**/*.test.ts'],
    setupFiles: ['scripts/mutation/vitest.setup.ts'],
    isolate: false,
    // A test that fails because the machine is busy would count as one that noticed the mutant.
    testTimeout: 60_000,
  },
});
