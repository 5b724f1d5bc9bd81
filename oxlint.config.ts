import { defineConfig } from 'oxlint';

/** The rules of the house that a tool can check. Our own rules are in `scripts/lint`, with the order of each package's folders. */

type Pattern = { regex: string; message: string; allowTypeImports?: boolean } | { group: string[]; message: string };

const code = '{ts,tsx,mts}';
const testFiles = ['**/*.test.ts', '**/*.test.tsx', '**/*.test-d.ts', '**/test/**'];
/** Folders of the mock that use neither Node nor the real clock. */
const worldFolders = ['state', 'service', 'control', 'cassette', 'db'];
const packages = [
  'contract',
  'domain',
  'sequencers',
  'crm',
  'simulators',
  'engine',
  'operations',
  'sdk',
  'mcp',
  'cli',
  'server',
  'mock',
  'conformance',
  'fixtures',
  'bench',
];

/** The folders of the domain with the API's rules; `values` has parsers of what people type, and other functions of one value. */
const foldersOfDomain =
  'account|blocklists|contacts|errors|forwarding|network|pages|relays|requests|resources|syncs|webhooks|world';

/** Packages are imported by name: a relative path into another package would evade every rule below. */
const noReachingAcross: Pattern = {
  regex: `^\\.\\.?/(.*/)?(${packages.join('|')})/(src|dist|test)/`,
  message: 'import the other package by its name',
};

/** A negated group that matches ends the evaluation, so an allow-list (`onlyPackages`) has to be the last pattern. */
function restrictedImports(...patterns: Pattern[]): ['error', { patterns: Pattern[] }] {
  return ['error', { patterns: [noReachingAcross, ...patterns] }];
}

/** Allows these packages of ours, and all other packages. */
function onlyOurs(message: string, ...allowed: string[]): Pattern {
  return { regex: `^@svc/(${packages.filter((name) => !allowed.includes(name)).join('|')})(/|$)`, message };
}

/** Allows relative imports and these packages only, so no `node:*`. */
function onlyPackages(message: string, ...allowed: string[]): Pattern {
  return { group: ['**', '!./**', '!../**', ...allowed.flatMap((name) => [`!${name}`, `!${name}/**`])], message };
}

const noClockOrChance = [
  { object: 'Date', property: 'now', message: 'the clock is an argument here' },
  { object: 'performance', property: 'now', message: 'the clock is an argument here' },
  { object: 'Math', property: 'random', message: 'randomness is an argument here' },
  { object: 'crypto', property: 'randomUUID', message: 'randomness is an argument here' },
  { object: 'crypto', property: 'getRandomValues', message: 'randomness is an argument here' },
];

const noEffects = [
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'XMLHttpRequest',
  'WebSocket',
  'EventSource',
  'process',
  'Buffer',
  'require',
  'localStorage',
  'navigator',
].map((name) => ({ name, message: 'no effects and no Node API here: take what is needed as an argument' }));

const noNode = ['process', 'Buffer', 'require', 'setImmediate', '__dirname'].map((name) => ({
  name,
  message: 'the SDK runs on every JavaScript runtime',
}));

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'node', 'promise', 'vitest'],
  jsPlugins: ['./scripts/lint/plugin.ts'],
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  categories: { correctness: 'error' },
  ignorePatterns: ['**/dist/**', '**/generated/**', '.cache/**'],
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/no-explicit-any': 'error',
    'typescript/ban-ts-comment': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'node/no-process-env': 'error',
    'no-restricted-imports': restrictedImports(),
    'svc/zod-namespace': 'error',
    'svc/file-url-path': 'error',
    'svc/layers': 'error',
    'svc/job-kinds': 'error',
    'svc/sql-home': 'error',
    'typescript/restrict-template-expressions': [
      'error',
      { allowNumber: true, allow: ['URL', 'URLSearchParams', 'Error'] },
    ],
    // A spread gives the code points of a string.
    'unicorn/no-useless-spread': 'off',
    'typescript/no-misused-spread': ['error', { allow: ['string'] }],
    'vitest/no-focused-tests': 'error',
    // Property tests and tables of cases branch on purpose, and share functions that hold the assertions.
    'vitest/no-conditional-expect': 'off',
    'vitest/no-standalone-expect': 'off',
    'vitest/expect-expect': ['error', { assertFunctionNames: ['expect*', 'assert*', 'fc.assert', 'check*', 'prove*'] }],
    'vitest/no-disabled-tests': 'error',
  },
  overrides: [
    {
      files: [`packages/*/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: { 'typescript/no-non-null-assertion': 'error' },
    },
    {
      // Journeys in a browser start the server as its own tests do.
      files: ['packages/dashboard/test/journeys/**/*.ts'],
      rules: { 'no-restricted-imports': 'off' },
    },

    // Import directions: contract <- domain <- sequencers <- { crm <- engine <- operations <- server, mock }, simulators <- engine, contract <- sdk <- mcp <- cli, server.
    {
      files: [`packages/contract/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyPackages('the contract imports nothing of ours, nothing of Node, and of others only zod', 'zod'),
        ),
      },
    },
    {
      files: [`packages/domain/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyPackages(
            'the domain imports the contract, zod and ipaddr.js, nothing else',
            '@svc/contract',
            'zod',
            'ipaddr.js',
          ),
        ),
      },
    },
    {
      files: [`packages/sequencers/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyPackages(
            'an adapter imports contract, domain and a hash function, and runs everywhere',
            '@svc/contract',
            '@svc/domain',
            '@noble/hashes',
          ),
        ),
        'no-restricted-properties': ['error', ...noClockOrChance],
        'no-restricted-globals': ['error', ...noEffects],
      },
    },
    {
      files: [`packages/crm/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyPackages(
            'a connector imports contract, domain, the events of sequencers and node:crypto',
            '@svc/contract',
            '@svc/domain',
            '@svc/sequencers',
            'node:crypto',
          ),
        ),
        'no-restricted-properties': ['error', ...noClockOrChance],
        'no-restricted-globals': ['error', ...noEffects],
      },
    },
    {
      files: [`packages/simulators/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyOurs('a simulator imports the domain, never what is tested with it', 'domain'),
        ),
      },
    },
    {
      files: [`packages/sdk/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyPackages(
            'the SDK imports contract, domain and openapi-fetch, and runs everywhere',
            '@svc/contract',
            '@svc/domain',
            'openapi-fetch',
            'zod',
          ),
        ),
      },
    },
    {
      files: [`packages/mcp/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyOurs('tools call the API through the SDK only', 'sdk', 'contract', 'domain'),
          {
            regex: `^@svc/domain($|/(?:${foldersOfDomain})(/|$))`,
            message: "of the domain the tools use './values' only: the service applies the API's rules",
          },
        ),
      },
    },
    {
      files: [`packages/cli/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyOurs('the CLI talks to the API through the SDK only', 'sdk', 'mcp', 'contract', 'domain'),
          {
            regex: `^@svc/domain($|/(?:${foldersOfDomain})(/|$))`,
            message: "of the domain the CLI uses './values' only: the service applies the API's rules",
          },
          {
            regex: '^@svc/contract(/(index|schemas|operations|types|document|openapi.*))?$',
            message:
              "of the contract the CLI uses types, and values of './vocabulary', './limits' and './error-messages' only",
            allowTypeImports: true,
          },
        ),
      },
    },
    {
      files: [`packages/engine/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyOurs(
            'the engine imports contract, domain, sequencers, crm and simulators',
            'contract',
            'domain',
            'sequencers',
            'crm',
            'simulators',
          ),
        ),
      },
    },
    {
      files: [`packages/operations/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyOurs(
            'operations import the engine, crm, sequencers, domain and contract',
            'engine',
            'contract',
            'domain',
            'sequencers',
            'crm',
          ),
        ),
      },
    },
    {
      files: [`packages/server/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyOurs(
            'the server imports operations, the engine and what the engine imports, and the data of fixtures',
            'operations',
            'engine',
            'contract',
            'domain',
            'sequencers',
            'crm',
            'simulators',
            'fixtures',
          ),
        ),
      },
    },
    {
      files: [`packages/server/src/mcp/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyOurs('its tools call the API with the SDK', 'mcp', 'sdk', 'operations', 'engine', 'contract', 'domain'),
        ),
      },
    },
    {
      files: [`packages/mock/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyOurs(
            'the mock imports contract, domain, sequencers and the data of fixtures',
            'contract',
            'domain',
            'sequencers',
            'fixtures',
          ),
          {
            regex: '^msw(/|$)',
            message: 'msw is an optional peer of the user: import its types only',
            allowTypeImports: true,
          },
        ),
      },
    },
    // Worlds run in browsers too; only the skins use Node, timers and the real clock.
    {
      files: [`packages/mock/src/{${worldFolders.join(',')}}/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyPackages(
            'a world is made of the contract and the domain, and runs everywhere',
            '@svc/contract',
            '@svc/domain',
            '@svc/sequencers',
            '@msw/data',
            '@noble/hashes',
            'fastest-levenshtein',
            'zod',
          ),
        ),
        'svc/pure': 'error',
        'no-restricted-properties': ['error', ...noClockOrChance],
        'no-restricted-globals': ['error', ...noEffects],
        'no-console': 'error',
      },
    },
    // Tests of server and mock do not import each other either; only the conformance suite knows both.
    {
      files: [`packages/server/test/**/*.${code}`, `packages/server/**/*.test.${code}`],
      rules: { 'no-restricted-imports': restrictedImports({ regex: '^@svc/mock(/|$)', message: 'never the mock' }) },
    },
    {
      files: [`packages/mock/test/**/*.${code}`, `packages/mock/**/*.test.${code}`],
      rules: {
        'no-restricted-imports': restrictedImports({ regex: '^@svc/server(/|$)', message: 'never the server' }),
      },
    },
    {
      files: [`packages/conformance/src/**/*.${code}`],
      rules: {
        'no-restricted-imports': restrictedImports(
          onlyOurs('the suite says HTTP to what it judges', 'contract', 'domain', 'fixtures'),
        ),
        // Groups are named after operations and targets, by variable; a second argument tells which of many calls failed.
        'vitest/valid-title': ['error', { ignoreTypeOfDescribeName: true }],
        'vitest/valid-expect': ['error', { maxArgs: 2 }],
      },
    },
    // A target is put together from parts, not all of which its package exports. Nothing else in the suite knows them.
    {
      files: [`packages/conformance/src/harness/targets/**/*.${code}`],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              onlyOurs(
                'targets are server and mock, called over HTTP or with the SDK',
                'contract',
                'domain',
                'fixtures',
                'server',
                'engine',
                'simulators',
                'mock',
                'sdk',
              ),
            ],
          },
        ],
      },
    },

    // Purity: no I/O, no clock, no chance, nothing of Node.
    {
      files: [`packages/{contract,domain}/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: {
        'svc/pure': 'error',
        'no-restricted-properties': ['error', ...noClockOrChance],
        'no-restricted-globals': ['error', ...noEffects],
        'no-console': 'error',
      },
    },
    {
      files: [`packages/sdk/src/**/*.${code}`],
      excludeFiles: testFiles,
      rules: { 'no-restricted-globals': ['error', ...noNode], 'no-console': 'error' },
    },

    // Benchmarks measure parts that no package exports; a lint rule reads the table of job kinds, and no package is installed at the root;
    // the test of the documents asks both programs for their help without starting them.
    {
      files: ['bench/**', 'scripts/lint/job-kinds.ts', 'scripts/documents.long.test.ts'],
      rules: { 'no-restricted-imports': 'off' },
    },
    // `const { test } = backend` and `expect(object.method)` are the test runner's own idioms.
    { files: testFiles, rules: { 'typescript/unbound-method': 'off', 'typescript/require-array-sort-compare': 'off' } },

    // The only readers of the environment.
    {
      files: [
        'packages/engine/src/config/**',
        'packages/cli/src/{config,terminal}/environment.ts',
        'packages/mock/src/main.ts',
        'packages/*/scripts/**',
        'packages/conformance/src/harness/targets/**',
        'scripts/**',
        'bench/**',
        'vitest.config.ts',
        ...testFiles,
      ],
      rules: { 'node/no-process-env': 'off' },
    },
  ],
});
