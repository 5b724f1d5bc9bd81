import { type CommandCase, asks, bad, FOR_ANYBODY, good } from './command-case.ts';

const withProfiles = { hasProfiles: true, ...FOR_ANYBODY };
const told = (notice: RegExp) => ({ out: 'JSON only', notice, ...withProfiles }) as const;

/** Of what deals with keys, profiles and defaults. */
export const SETTING_CASES: Readonly<Record<string, readonly CommandCase[]>> = {
  'config:get': [
    good('', { ...FOR_ANYBODY, unread: 'timeout' }),
    good('base-url', { ...FOR_ANYBODY, env: { SVC_BASE_URL: '' } }),
    bad('nope'),
  ],
  'config:path': [good('', FOR_ANYBODY), bad('surplus')],
  'config:set': [
    good('timeout 120', told(/^timeout is 120$/)),
    good('timeout --unset', { ...told(/^timeout is 30, as usual$/), unread: '5' }),
    good('profile staging', told(/^profile is staging$/)),
    bad('timeout', '5'),
    bad('', 'timeout'),
    bad('timeout forever'),
    bad('profile nope'),
  ],
  login: [
    {
      words: '--profile new',
      code: 2,
      key: null,
      keyOnStdin: 'osapi_demo_write',
      unlike: { piped: 0, terminal: 0, why: 'a key is piped in, or typed' },
      asked: { question: /API key: /, typed: '{key}\n' },
      out: 'JSON only',
      notice: /^Stored as profile new: /,
    },
    {
      words: '',
      code: 2,
      key: null,
      keyOnStdin: 'osapi_demo_revoked',
      unlike: { piped: 4, terminal: 4, why: 'a key is piped in, or typed, and not a good one' },
      asked: { question: /API key: /, typed: '{key}\n' },
    },
    bad('surplus'),
  ],
  logout: [
    good('', told(/^Removed from this machine: other\./)),
    good('--all --yes', told(/^Removed from this machine: staging, other\./)),
    asks('--all', /Remove the keys of staging, other\? \[y\/N\]/, { hasProfiles: true }),
    { words: '', code: 4, key: null },
    { ...bad('--profile nope'), hasProfiles: true },
  ],
  'profiles:list': [good('', withProfiles), good('', { ...FOR_ANYBODY, out: 'empty list' }), bad('--fields nope')],
  'profiles:remove': [
    good('staging --yes', told(/^Removed profile staging\.$/)),
    asks('staging', /Remove profile staging and its key\? \[y\/N\]/, { hasProfiles: true }),
    { ...bad('', 'staging'), hasProfiles: true },
    { ...bad('nope --yes'), hasProfiles: true },
  ],
  'profiles:set': [
    good('staging --base-url https://moved.example.com', told(/^Profile staging: https:\/\/moved\.example\.com$/)),
    { ...bad('staging'), hasProfiles: true },
    { ...bad('--base-url https://moved.example.com', 'staging'), hasProfiles: true },
  ],
  'profiles:use': [
    good('staging', told(/^The default profile is staging now\.$/)),
    { ...bad('', 'staging'), hasProfiles: true },
    { ...bad('nope'), hasProfiles: true },
  ],
};
