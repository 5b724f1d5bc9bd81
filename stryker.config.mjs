/**
 * Mutation test of the domain's rules, `npm run test:mutation`: the nightly workflow runs it. Only what changed since the last
 * report is tested again. For one file: `npx stryker run --mutate packages/domain/src/requests/page.ts`.
 */
export default {
  mutate: ['packages/domain/src/**/*.ts', '!**/*.test.ts', '!**/*.fixture.ts'],
  // The copy that is changed holds only what the domain's tests read: the rest of the tree would only take time.
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
  // A timeout counts as a mutant found. Endless loops are found by counting their rounds; a busy machine must not look like one.
  timeoutMS: 30_000,
  // Nothing here checks types, so no file needs a comment against it.
  disableTypeChecks: false,
  thresholds: { high: 95, low: 90, break: 90 },
  reporters: ['clear-text'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, skipFull: true },
  tempDirName: '.cache/mutation/sandbox',
};
