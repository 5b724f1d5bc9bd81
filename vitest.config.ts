import { defineConfig } from 'vitest/config';

const typescriptTests = ['packages/*/{src,test}', 'fixtures', 'scripts', 'bench'].flatMap((folder) => [
  `${folder}/**/*.test.ts`,
  `${folder}/**/*.test.tsx`,
]);
const longTests = ['**/*.long.test.ts', '**/*.long.test.tsx'];
const onlyLong = process.env.SVC_TEST_LONG === '1';

export default defineConfig({
  test: {
    include: onlyLong ? longTests : typescriptTests,
    exclude: ['**/node_modules/**', '**/dist/**', '.cache/**'],
    globalSetup: ['scripts/vitest/global-setup.ts'],
    // Two cores: a test that starts a server or an embedded database shares them with another file's. A third worker uses what
    // the two leave while they wait for processes, PostgreSQL and timers.
    maxWorkers: 3,
    // Files share their worker's process, modules and databases: starting those anew for each would take longer than the tests.
    isolate: false,
    // Two cores under load: what is waited for may take its time.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: onlyLong ? 20 * 60_000 : 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    unstubEnvs: true,
    unstubGlobals: true,
    restoreMocks: true,
  },
});
