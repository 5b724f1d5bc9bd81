import { defineConfig } from 'vitest/config';
import LongestFirst from './scripts/vitest/longest-first.ts';

const typescriptTests = ['packages/*/{src,test}', 'fixtures', 'scripts', 'bench'].flatMap((folder) => [
  `${folder}/**/*.test.ts`,
  `${folder}/**/*.test.tsx`,
]);
const longTests = ['**/*.long.test.ts', '**/*.long.test.tsx'];
const onlyLong = process.env.SVC_TEST_LONG === '1';

export default defineConfig({
  test: {
    include: onlyLong ? longTests : typescriptTests,
    // Components run in a browser, with a configuration of their own.
    exclude: ['**/node_modules/**', '**/dist/**', '.cache/**', 'packages/dashboard/test/components/**'],
    globalSetup: ['scripts/vitest/global-setup.ts'],
    // For two cores: a third worker uses the time in which the others wait for processes, PostgreSQL and timers. With five, the long
    // tests take longer.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Files share the process, modules and databases of their worker: starting them for each file would take longer than the tests.
    isolate: false,
    // A busy machine may be slow.
    expect: { poll: { timeout: onlyLong ? 300_000 : 45_000 } },
    testTimeout: onlyLong ? 20 * 60_000 : 120_000,
    hookTimeout: 300_000,
    teardownTimeout: 20_000,
    unstubEnvs: true,
    unstubGlobals: true,
    restoreMocks: true,
  },
});
