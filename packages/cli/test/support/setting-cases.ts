import { type CommandCase, asks, bad, WITHOUT_KEY, good } from './command-case.ts';

/** The case has stored profiles, and no variable wins over them: the command would print a note about such a variable. */
const withProfiles = { hasProfiles: true, ...WITHOUT_KEY, env: { SVC_BASE_URL: '' } };
const prints = (notice: RegExp) => ({ out: 'JSON only', notice, ...withProfiles }) as const;

/** Cases of the commands for keys, profiles and defaults. */
export const SETTING_CASES: Readonly<Record<string, readonly CommandCase[]>> = {
  'config:get': [
    good('base-url', { ...WITHOUT_KEY, unreadStdin: 'timeout', env: { SVC_BASE_URL: '' } }),
    bad(''),
    bad('nope'),
  ],
  'config:list': [good('', { ...WITHOUT_KEY, env: { SVC_BASE_URL: '' } }), bad('surplus')],
  'config:path': [good('', WITHOUT_KEY), bad('surplus')],
  'config:set': [
    good('timeout 120', prints(/^timeout is 120$/)),
    good('timeout --unset', { ...prints(/^timeout is 30 \(the built-in default\)$/), unreadStdin: '5' }),
    good('profile staging', prints(/^profile is staging$/)),
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
      exceptions: { piped: 0, terminal: 0, why: 'a key is piped in or typed' },
      prompt: { question: /API key for http\S+: /, typed: '{key}\n' },
      out: 'JSON only',
      notice: /^Stored as profile new: /,
    },
    {
      words: '',
      code: 2,
      key: null,
      keyOnStdin: 'osapi_demo_revoked',
      exceptions: { piped: 4, terminal: 4, why: 'the key that is piped in or typed is revoked' },
      prompt: { question: /API key for http\S+: /, typed: '{key}\n' },
    },
    bad('surplus'),
  ],
  logout: [
    good('', prints(/^Removed from this machine: other\./)),
    good('--all --yes', prints(/^Removed from this machine: staging, other\./)),
    asks('--all', /Remove the keys of staging, other\? \[y\/N\]/, { hasProfiles: true }),
    { words: '', code: 4, key: null },
    { ...bad('--profile nope'), hasProfiles: true },
  ],
  'profiles:list': [good('', withProfiles), good('', { ...WITHOUT_KEY, out: 'empty list' }), bad('--fields nope')],
  'profiles:remove': [
    good('staging --yes', prints(/^Removed profile staging\.$/)),
    asks('staging', /Remove profile staging and its key\? \[y\/N\]/, { hasProfiles: true }),
    { ...bad('', 'staging'), hasProfiles: true },
    { ...bad('nope --yes'), hasProfiles: true },
  ],
  'profiles:set': [
    good('staging --base-url https://moved.example.com', prints(/^Profile staging: https:\/\/moved\.example\.com$/)),
    { ...bad('staging'), hasProfiles: true },
    { ...bad('--base-url https://moved.example.com', 'staging'), hasProfiles: true },
  ],
  'profiles:use': [
    good('staging', prints(/^The default profile is now staging\.$/)),
    { ...bad('', 'staging'), hasProfiles: true },
    { ...bad('nope'), hasProfiles: true },
  ],
};
