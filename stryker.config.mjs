/**
 * Mutation test of the domain's rules, `npm run test:mutation`: the nightly workflow runs it. Only what changed since the last
 * report is tested again. For one file: `npx stryker run --mutate packages/domain/src/requests/page.ts`.
 */
export default {
  mutate: ['packages/domain/src/**/*.ts', '!**/*.test.ts', '!**/*.fixture.ts'],
  // Copy only what the domain's tests need.
  ignorePatterns: [
    '**',
    '!packages/domain/**',
    '!fixtures/**',
    '!scripts/mutation/**',
    '!tsconfig*.json',
    '!package.json',
    'node_modules',
  ],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutation/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: '.cache/mutation/incremental.json',
  concurrency: 2,
  // A timeout counts as a found mutant, so it must be long enough for a busy machine. Endless loops are detected by counting.
  timeoutMS: 30_000,
  // No types are checked, so files need no comment that disables the check.
  disableTypeChecks: false,
  thresholds: { high: 95, low: 90, break: 90 },
  reporters: ['clear-text'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, skipFull: true },
  tempDirName: '.cache/mutation/sandbox',
};
