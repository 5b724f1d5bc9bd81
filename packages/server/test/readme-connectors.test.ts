import { readFileSync } from 'node:fs';
import { PLATFORMS } from '@svc/contract/vocabulary';
import { createCrmConnectors } from '@svc/crm';
import { canNormalize } from '@svc/sequencers';
import { createBlocklistConnectors } from '@svc/sequencers/blocklists';
import { expect, test } from 'vitest';

test('README.md names the connectors that exist, and no other', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const [, table = ''] = readme.split(/<!-- connectors: (?:begin|end) -->/);
  const rows = [...table.matchAll(/^\| (\w+) \| (\w+) \| (.*) \|$/gm)].slice(1);
  const shown = rows.map(([, platform = '', role, works]) => [platform.toLowerCase(), role, works]);

  const url = 'http://127.0.0.1:1';
  const calls = { fetch, timeoutMs: 1_000, now: () => new Date(0) };
  const crms = createCrmConnectors(calls);
  const blocklists = createBlocklistConnectors({ ...calls, smartleadUrl: url, instantlyUrl: url });
  const worksOf = (platform: string) =>
    [...(canNormalize(platform) ? ['events'] : []), ...(blocklists.has(platform) ? ['block list'] : [])].join(', ');
  const expected = [
    ...PLATFORMS.map((platform) => [platform, 'sequencer', worksOf(platform)]).filter(([, , works]) => works !== ''),
    ...[...crms.keys()].map((crm) => [crm.toLowerCase(), 'CRM', 'events, contact lists']),
  ];
  expect(shown.toSorted()).toEqual(expected.toSorted());
});
