import type { ExitCode } from '../../src/errors/exit-codes.ts';
import { SETTING_CASES } from './setting-cases.ts';
import {
  type CommandCase,
  asks,
  bad,
  endless,
  WITHOUT_KEY,
  forbidden,
  good,
  missing,
  NO_SERVICE,
  NO_KEY,
  RANGE,
} from './command-case.ts';
import { WEBHOOK_CASES } from './webhook-cases.ts';

const EXPORTED = /^Exported [\d,]+ \w+$/;
const MORE_EXIST = /^Showing the newest 50 \w+ \(2025-12-20 to 2026-01-15\)\. More: --all or --limit N\.$/;
const truncated = { notice: MORE_EXIST, note: MORE_EXIST };
const NEW_ROWS = '--since 24h';
const QUICK_LISTS = { runs: true, settings: { blocklistFetchMs: 100, blocklistPushMs: 100 } };

/** Cases by command id: at least one success and one failure each. */
export const COMMAND_CASES: Readonly<Record<string, readonly CommandCase[]>> = {
  ...SETTING_CASES,
  ...WEBHOOK_CASES,
  api: [
    good('/me'),
    good('GET /sources --include', {
      jsonCode: 2,
      why: '--include prints headers, which are not JSON',
      isVolatile: true,
    }),
    missing('GET /syncs/999999'),
    bad('', '/me'),
    bad('PURGE /me'),
    {
      ...bad('POST /webhooks --input -'),
      stdin: '{"url":"https://hooks.example.com/in"}',
      exceptions: { piped: 0, why: 'the body is piped in' },
      isVolatile: true,
    },
  ],
  commands: [good('', WITHOUT_KEY), bad('--fields nope')],
  completion: [
    good('bash', WITHOUT_KEY),
    good('zsh', WITHOUT_KEY),
    good('fish', WITHOUT_KEY),
    bad('', 'bash'),
    bad('tcsh'),
  ],
  doctor: [
    good('', { isVolatile: true }),
    { words: NO_SERVICE, code: 1, out: 'document', isVolatile: true },
    bad('surplus'),
  ],
  health: [good('', WITHOUT_KEY), good('--live', WITHOUT_KEY), { words: NO_SERVICE, code: 8 }],
  metrics: [
    good(RANGE),
    good(`syncs ${RANGE} --by day`, { notice: /^Showing 2 days \(2026-01-14 to 2026-01-15\)\.$/ }),
    good(RANGE, { unreadStdin: 'syncs' }),
    bad('requests --connection 1'),
    missing(`syncs --source 999 ${RANGE}`),
    NO_KEY,
  ],
  openapi: [
    good('', WITHOUT_KEY),
    good('--yaml', { ...WITHOUT_KEY, jsonCode: 2, why: 'YAML is not JSON' }),
    { words: NO_SERVICE, code: 8 },
  ],
  status: [
    good(''),
    { words: '--exit-code', code: 9, out: 'document' },
    endless('--watch', /"?ready|Not ready/i),
    { words: '', code: 4, key: 'osapi_demo_revoked' },
    { words: '', code: 5, key: 'osapi_demo_no_api' },
    { words: '--max-retries 0', code: 7, world: { scenarios: ['rate-limited'] } },
    { words: NO_SERVICE, code: 8 },
    bad('--interval 5s'),
    NO_KEY,
  ],
  trigger: [
    good('sync.failed', { isVolatile: true }),
    bad('', 'sync.failed'),
    bad('sync.nonsense'),
    { words: `sync.failed ${NO_SERVICE}`, code: 8 },
    { ...NO_KEY, words: 'sync.failed' },
  ],
  whoami: [good(''), { words: '', code: 4, key: 'osapi_demo_rotated' }, bad('--fields nope'), NO_KEY],

  'blocklists:list': [good(''), good('--connection 999', { out: 'empty list' }), bad('--fields nope'), NO_KEY],
  'blocklists:pause': [
    good('1'),
    good('--all'),
    good('--all --dry-run'),
    { words: '99 4', code: 10, out: 'document' },
    missing('99'),
    forbidden('1'),
    bad('', '1'),
    bad('one'),
  ],
  'blocklists:resync': [
    good('1'),
    good('1 --wait --interval 1s', { world: QUICK_LISTS, notice: /^1 Customers: synced/m, isVolatile: true }),
    { words: '1', code: 6, world: { scenarios: ['resync-in-progress'] } },
    { words: '4 6', code: 10, out: 'document' },
    good('--all --skip-in-progress'),
    good('--all --wait --dry-run'),
    {
      words: '1 --wait --interval 1s',
      code: 9,
      out: 'document',
      world: { ...QUICK_LISTS, scenarios: ['syncs-failing'] },
      notice: /^1 Customers: failed/m,
      isVolatile: true,
    },
    {
      words: '1 --wait --timeout 1s --interval 1s',
      code: 11,
      out: 'document',
      notice: /^1 Customers: /m,
      isVolatile: true,
    },
    missing('999'),
    forbidden('1'),
    bad('', '1'),
    bad('1 --timeout 5s'),
  ],
  'connections:list': [good(''), { words: '', code: 4, key: 'osapi_demo_revoked' }, NO_KEY],
  'deliveries:export': [
    good(RANGE, { notice: EXPORTED, note: EXPORTED }),
    good(`${RANGE} --output rows.csv`, { out: 'JSON only', notice: /^Exported [\d,]+ deliveries to rows\.csv$/ }),
    missing(`${RANGE} --destination 999`),
    bad('--resume'),
  ],
  'deliveries:list': [
    good('--from 2025-12-20 --to 2026-01-15', truncated),
    missing(`--destination 999 ${RANGE}`),
    bad('--limit 0'),
  ],
  'deliveries:replay': [
    good('3607 --destination 4'),
    missing('999999 --destination 4'),
    { words: '3607 999999 --destination 4', code: 10, out: 'document' },
    forbidden('3607 --destination 4'),
    bad('--destination 4', '3607'),
  ],
  'destinations:get': [good('1'), missing('999'), bad('', '1'), bad('nope')],
  'destinations:list': [good(''), good('', { key: 'osapi_demo_empty', out: 'empty list' }), bad('--format nope')],
  'events:get': [good('osevt_demo0001'), missing('osevt_nope'), bad('', 'osevt_demo0001')],
  'events:list': [
    good('', { notice: /^Showing 41 events \(all time\)\.$/ }),
    { words: '', code: 5, key: 'osapi_demo_no_webhooks' },
    bad('--type nope'),
  ],
  'events:tail': [
    { words: NO_SERVICE, code: 8 },
    endless(NEW_ROWS, /\n/, { world: { runs: true } }),
    bad('--interval 0s'),
    NO_KEY,
  ],
  'mock:start': [
    endless('--port 0', /http:/, {
      isOtherProgram: true,
      jsonCode: 2,
      why: 'its flags are those of svc-mock, which has no --json',
    }),
    { ...bad('--port nope'), isOtherProgram: true },
  ],
  open: [
    good('docs --print'),
    good('connection 3 --no-browser'),
    missing('connection 999'),
    bad('connection', '3'),
    bad('nope'),
    { words: 'docs', code: 4, key: null },
  ],
  'outreach:check': [
    good('contacts.csv', {
      notice: /^Contacts are looked up by email\nChecked 1 row: 1 blocked$/,
      note: /^Checked 1 row: 1 blocked$/,
    }),
    good('contacts.csv --output checked.csv', {
      out: 'JSON only',
      notice: /^Contacts are looked up by email\nChecked 1 row: 1 blocked to checked\.csv$/,
    }),
    {
      words: 'doubtful.csv',
      code: 10,
      out: 'document',
      notice: /^Contacts are looked up by email\nChecked 2 rows: 1 blocked, 1 invalid$/,
      note: /^Checked 2 rows: 1 blocked, 1 invalid$/,
    },
    { words: `contacts.csv --output checked.csv ${NO_SERVICE}`, code: 8 },
    {
      ...bad('-'),
      stdin: 'email\nreplied@example.com\n',
      exceptions: { piped: 0, why: 'the file is piped in' },
      notice: /^Contacts are looked up by email\nChecked 1 row: 1 contactable$/,
      note: /^Checked 1 row: 1 contactable$/,
    },
    bad('missing.csv'),
    { ...NO_KEY, words: 'contacts.csv' },
  ],
  'outreach:lookup': [
    good('--email replied@example.com'),
    good('replied@example.com --exit-code'),
    { words: 'tereza.abara@example.org --exit-code', code: 9, out: 'document' },
    bad('', 'replied@example.com'),
    bad('kim'),
    bad('--email nope'),
    { ...NO_KEY, words: '--email replied@example.com' },
  ],
  'relays:list': [good(''), good('', { key: 'osapi_demo_empty', out: 'empty list' }), NO_KEY],
  'requests:export': [good(RANGE, { notice: EXPORTED, note: EXPORTED }), missing(`${RANGE} --source 999`), bad('')],
  'requests:list': [
    good('--from 2025-12-20 --to 2026-01-15', truncated),
    missing(`--source 999 ${RANGE}`),
    bad('--since nope'),
  ],
  'requests:tail': [
    { words: NO_SERVICE, code: 8 },
    endless(NEW_ROWS, /\n/, { world: { runs: true } }),
    bad('--since nope'),
    NO_KEY,
  ],
  'sources:list': [good(''), good('', { key: 'osapi_demo_empty', out: 'empty list' }), NO_KEY],
  'syncs:export': [
    good(RANGE, { notice: EXPORTED, note: EXPORTED }),
    good(`${RANGE} --output rows.ndjson.gz`, {
      out: 'JSON only',
      notice: /^Exported [\d,]+ syncs to rows\.ndjson\.gz$/,
    }),
    bad(`${RANGE} --output nowhere/rows.csv`),
    missing(`${RANGE} --source 999`),
  ],
  'syncs:explain': [good('2657'), missing('999999'), bad('', '2657'), bad('2657 --fields nope')],
  'syncs:get': [good('1001'), missing('999999'), bad('', '1001'), bad('nope')],
  'syncs:list': [
    good(`${RANGE} --limit 5`, { notice: /^Showing the newest 5 syncs /, note: /^Showing the newest 5 syncs / }),
    missing(`--source 999 ${RANGE}`),
    bad('--status nope'),
  ],
  'syncs:retry': [
    good('2657'),
    good(`--all ${RANGE} --dry-run`),
    good(`--all ${RANGE} --yes`),
    asks(`--all ${RANGE}`, /\[y\/N\]/),
    { words: '2657 1001', code: 10, out: 'document' },
    { words: '1001', code: 6 },
    missing('999999'),
    forbidden('2657'),
    bad('', '2657'),
  ],
  'syncs:tail': [
    { words: NO_SERVICE, code: 8 },
    endless(NEW_ROWS, /\n/, { world: { runs: true } }),
    bad('--status nope'),
    NO_KEY,
  ],
};

/** Documented exit codes without a case here, and the test file that covers each. */
export const TESTED_ELSEWHERE: Readonly<Record<string, Readonly<Partial<Record<ExitCode, string>>>>> = {
  'deliveries:export': {
    6: 'features/export-resume.long',
    1: 'features/export.long',
    130: 'features/export-screen.long',
  },
  'mock:start': { 1: 'tools' },
  'requests:export': {
    6: 'features/export-resume.long',
    1: 'features/export.long',
    130: 'features/export-screen.long',
  },
  'syncs:export': { 6: 'features/export-resume.long', 1: 'features/export.long', 130: 'features/export-screen.long' },
  'syncs:retry': { 9: 'features/retries.long', 11: 'features/retries.long' },
  'webhooks:recover': { 10: 'features/webhooks-recover' },
  'webhooks:test': { 9: 'features/webhooks.long' },
};
