import {
  type CommandCase,
  asks,
  bad,
  endless,
  WITHOUT_KEY,
  forbidden,
  good,
  missing,
  NO_KEY,
  SIGNING_SECRET,
} from './command-case.ts';

const ONE = 'oswhk_demo01';
const secret = { SVC_WEBHOOK_SECRET: SIGNING_SECRET };
const signing = { ...WITHOUT_KEY, env: secret };
/** No secret is given, so the command asks for it in a terminal. */
const typed = {
  exceptions: { terminal: 0, why: 'the secret is typed' },
  prompt: { question: /Signing secret: /, typed: `${SIGNING_SECRET}\n` },
} as const;
/** An unknown id. */
const NONE = 'oswhk_nope';
const moment = { isVolatile: true };
const HEADER = 't=1768478400,v1=00';
const ACCOUNT_ONLY: CommandCase = { words: '', code: 5, key: 'osapi_demo_connection' };

export const WEBHOOK_CASES: Readonly<Record<string, readonly CommandCase[]>> = {
  'webhooks:create': [
    good('--url https://hooks.example.com/in', { ...moment, notice: /^Store the secret now: / }),
    good('--url https://hooks.example.com/in --secret-file new.secret', {
      ...moment,
      notice: /^The secret is in new\.secret: /,
    }),
    bad('--url https://127.0.0.1/in'),
    bad(''),
    forbidden('--url https://hooks.example.com/in'),
  ],
  'webhooks:delete': [
    good(`${ONE} --yes`, { out: 'JSON only', notice: /^Deleted webhook oswhk_demo01$/ }),
    asks(ONE, /\[y\/N\]/),
    { words: `${ONE} ${NONE} --yes`, code: 10, out: 'document' },
    missing(`${NONE} --yes`),
    forbidden(`${ONE} --yes`),
    bad('--yes', ONE),
  ],
  'webhooks:deliveries': [
    good(`${ONE} --limit 2`, { notice: /^Showing the newest 2 deliveries\. /, note: /^Showing the newest 2 / }),
    good(`oswhk_demo07 --status FAILED`, { out: 'empty list' }),
    missing(NONE),
    bad('', ONE),
  ],
  'webhooks:get': [good(ONE), missing(NONE), bad('', ONE), { ...ACCOUNT_ONLY, words: ONE }],
  'webhooks:list': [good(''), ACCOUNT_ONLY, { words: '', code: 5, key: 'osapi_demo_no_webhooks' }, NO_KEY],
  'webhooks:listen': [
    endless('--forward-to http://127.0.0.1:9/', /Events go to|"listening"/, {
      notice: /^Events go to http:\/\/127\.0\.0\.1:9\/\.$/m,
    }),
    bad(''),
    bad('--forward-to nope'),
    { ...NO_KEY, words: '--forward-to http://127.0.0.1:9/' },
  ],
  'webhooks:recover': [
    good(`${ONE} --since 2026-01-01 --dry-run`),
    good(`${ONE} --since 2026-01-01 --per-minute 6000 --yes`, moment),
    asks(`${ONE} --since 2026-01-01 --per-minute 6000`, /\[y\/N\]/, moment),
    missing(`${NONE} --since 2026-01-01 --yes`),
    bad(ONE),
    bad('--since 2026-01-01', ONE),
  ],
  'webhooks:replay': [
    good('oswhk_demo04 oswhd_demo0001', moment),
    { words: 'oswhk_demo04 oswhd_demo0001 oswhd_nope', code: 10, out: 'document', ...moment },
    missing('oswhk_demo04 oswhd_nope'),
    forbidden('oswhk_demo04 oswhd_demo0001'),
    bad('oswhk_demo04', 'oswhd_demo0001'),
    bad('', 'oswhk_demo04'),
  ],
  'webhooks:rotate-secret': [
    good(`${ONE} --yes`, { ...moment, notice: /^Store the secret now: / }),
    asks(ONE, /\[y\/N\]/, moment),
    missing(`${NONE} --yes`),
    bad('--yes', ONE),
  ],
  'webhooks:sign': [
    good('event.json --timestamp 1768478400 --delivery-id oswhd_1', signing),
    {
      ...good('--timestamp 1768478400 --delivery-id oswhd_1', signing),
      stdin: '{"id":"osevt_1"}',
      exceptions: { closed: 0, terminal: 2, why: 'a body can be empty, but not typed' },
    },
    { ...bad('nowhere.json'), env: secret },
    { ...bad('event.json'), ...typed },
  ],
  'webhooks:test': [
    good(ONE, moment),
    good(`${ONE} --wait`, moment),
    {
      words: `${ONE} --wait --timeout 4s`,
      code: 11,
      out: 'document',
      world: { settings: { runsJobs: false } },
      ...moment,
    },
    missing(NONE),
    forbidden(ONE),
    bad('', ONE),
  ],
  'webhooks:update': [
    good(`${ONE} --disable`),
    good(`--event sync.failed ${ONE}`),
    missing(`${NONE} --enable`),
    bad(ONE),
    bad('--disable', ONE),
  ],
  'webhooks:verify': [
    good('event.json --headers-file headers.txt --at 2026-01-15T12:00:00Z', signing),
    { words: `event.json --header ${HEADER}`, code: 9, out: 'document', ...signing, ...moment },
    {
      words: `--header ${HEADER}`,
      code: 9,
      out: 'document',
      ...signing,
      ...moment,
      stdin: '{"id":"osevt_1"}',
      exceptions: { terminal: 2, why: 'a body cannot be typed' },
    },
    { ...bad('event.json'), env: secret },
    { ...bad('event.json --headers-file headers.txt --at 2026-01-15T12:00:00Z'), ...typed },
  ],
};
