import { readFileSync } from 'node:fs';
import { BLOCK_TYPES, CRMS, PLATFORMS, RETRYABLE_CRMS } from '@svc/contract/vocabulary';
import { createCrmConnectors, CRM_REGISTRY } from '@svc/crm';
import { adapterCoverage } from '@svc/sequencers';
import { findBlocklistProblem } from '@svc/sequencers/blocklists';
import { expect, test } from 'vitest';

const EVENTS = { full: ['events'], partial: ['events (partial)'], none: [] };
const WORDS = { ADDRESS: 'addresses', DOMAIN: 'domains' } as const;

test('README.md names the connectors that exist, and no other', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const [, table = ''] = readme.split(/<!-- connectors: (?:begin|end) -->/);
  const rows = [...table.matchAll(/^\| ([\w., ]+) \| (\w+) \| (.*) \|$/gm)].slice(1);
  const shown = rows.flatMap(([, platforms = '', role, works]) =>
    platforms.split(', ').map((platform) => [platform.toLowerCase().replace('.', '-'), role, works]),
  );

  const blocklistOf = (platform: string) => {
    const types = BLOCK_TYPES.filter((type) => findBlocklistProblem(platform, type) === null);
    if (types.length === BLOCK_TYPES.length) return ['block list'];
    return types.length === 0 ? [] : [`block list (${types.map((type) => WORDS[type]).join(', ')})`];
  };
  const worksOf = (platform: string) =>
    [...EVENTS[adapterCoverage(platform) ?? 'none'], ...blocklistOf(platform)].join(', ');
  const expected = [
    ...PLATFORMS.map((platform) => [platform, 'sequencer', worksOf(platform)]).filter(([, , works]) => works !== ''),
    ...CRM_REGISTRY.map(({ crm, lists }) => {
      const retries = RETRYABLE_CRMS.some((retryable) => retryable === crm) ? ['retries'] : [];
      return [crm.toLowerCase(), 'CRM', ['events', ...retries, ...(lists ? [lists.kinds] : [])].join(', ')];
    }),
  ];
  expect(shown.toSorted()).toEqual(expected.toSorted());
});

test('server, contract and the demo world of mock and server agree on the CRMs that can be written', () => {
  const registered = CRM_REGISTRY.map(({ crm }) => crm);
  expect(registered.toSorted()).toEqual(CRMS.toSorted());
  expect([...createCrmConnectors({ fetch, timeoutMs: 1_000 }).keys()].toSorted()).toEqual(CRMS.toSorted());
  expect(RETRYABLE_CRMS.filter((crm) => !registered.includes(crm))).toEqual([]);
  // The mock writes to every connection of the same demo world.
  const world = JSON.parse(readFileSync(new URL('../../../fixtures/demo-world.json', import.meta.url), 'utf8'));
  const shown = new Set(world.connections.map(({ crm }: { crm: string }) => crm));
  expect([...shown].toSorted()).toEqual(registered.toSorted());
});
