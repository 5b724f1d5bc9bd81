import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { accountStatus, type BlocklistFacts, type ConnectionFacts, connectionStatus } from './account-status.ts';
import { STATUS_CODES } from '../errors/status-codes.ts';

type FactsData = Omit<ConnectionFacts, 'blocklists'> & {
  blocklists: (Omit<BlocklistFacts, 'lastFetchedAt'> & { lastFetchedAt: string | null })[];
};
const toFacts = (data: FactsData): ConnectionFacts => ({
  ...data,
  blocklists: data.blocklists.map((list) => ({
    ...list,
    lastFetchedAt: list.lastFetchedAt === null ? null : new Date(list.lastFetchedAt),
  })),
});

const SURROUNDINGS = {
  now: new Date('2026-01-31T12:00:00Z'),
  dashboardUrl: 'https://dashboard.example.com',
  docsUrl: 'https://docs.example.com/api',
};

testRuleCases('account-status', ({ rule }) => {
  // The vectors hold [code, connectionId] of each issue; their texts are ours and tested below.
  rule<{ connections: FactsData[] }>('accountStatus', (input) => {
    const { checkedAt, blockers, warnings, ...rest } = accountStatus({
      ...SURROUNDINGS,
      connections: input.connections.map(toFacts),
    });
    expect(checkedAt).toBe('2026-01-31T12:00:00.000Z');
    const toPair = ({ code, connectionId }: (typeof blockers)[number]) => [code, connectionId];
    return { ...rest, blockers: blockers.map(toPair), warnings: warnings.map(toPair) };
  });
});

const BARE: ConnectionFacts = {
  id: 11,
  crm: 'HUBSPOT',
  organizationId: 'org-11',
  organizationDomain: 'acme.example.com',
  capabilities: { sync: true, destinations: true, blocklists: true },
  hasCrmToken: false,
  recordedError: null,
  sources: [{ id: 7, platform: 'lemlist', recentOutcomes: ['unparsed', 'unparsed', 'unparsed', 'synced'] }],
  destinations: [],
  replyRelays: [],
  blocklists: [],
};

describe('issues', () => {
  test.each([
    ['crm_disconnected', 'blockers', 0, /CRM|access/],
    ['destinations_not_configured', 'warnings', 0, /forwarding|relay/i],
    ['blocklists_not_configured', 'warnings', 1, /block/i],
    ['source_events_not_understood', 'warnings', 2, /source 7 \(lemlist\) 3 of the last 4\. They are kept/],
  ] as const)('%s says what is wrong, what to do, and where', (code, list, place, words) => {
    const issue = accountStatus({ ...SURROUNDINGS, connections: [BARE] })[list][place];
    expect(issue).toMatchObject({
      code,
      connectionId: 11,
      crm: 'HUBSPOT',
      message: expect.stringMatching(words),
      docUrl: `https://docs.example.com/api/status-codes#${code}`,
    });
    expect(issue?.message).toContain('HUBSPOT');
    expect(issue?.remediation).toMatch(/^[A-Z].+: https:\/\/dashboard\.example\.com\/connections\/11$/);
    const { fix } = STATUS_CODES[code];
    expect(issue?.remediation.startsWith(`${fix}: `)).toBe(true);
  });

  test('names a few of many sources that are not understood, by id', () => {
    const sources = Array.from({ length: 7 }, (_, index) => ({ ...BARE.sources[0], id: 17 - index }));
    const { warnings } = accountStatus({ ...SURROUNDINGS, connections: [{ ...BARE, sources } as ConnectionFacts] });
    expect(warnings.map(({ code }) => code)).toEqual([
      'destinations_not_configured',
      'blocklists_not_configured',
      'source_events_not_understood',
    ]);
    expect(warnings[2]?.message).toMatch(/: source 11 .*, source 15 \(lemlist\) 3 of the last 4, 2 more\. They/);
  });

  test('accepts URLs that end in a slash or have an anchor', () => {
    const urls = { dashboardUrl: 'https://dashboard.example.com/app/', docsUrl: 'https://docs.example.com/#top' };
    const [issue] = accountStatus({ ...SURROUNDINGS, ...urls, connections: [BARE] }).blockers;
    expect(issue?.remediation).toMatch(/ https:\/\/dashboard\.example\.com\/app\/connections\/11$/);
    expect(issue?.docUrl).toBe('https://docs.example.com/status-codes#crm_disconnected');
  });
});

test('lastError is that of the list with an error', () => {
  const list: BlocklistFacts = { isEnabled: true, status: 'SYNCED', lastFetchedAt: null, lastError: null };
  const blocklists = [list, { ...list, lastError: 'The list is gone' }];
  for (const lists of [blocklists, blocklists.toReversed()]) {
    const [shown] = accountStatus({ ...SURROUNDINGS, connections: [{ ...BARE, blocklists: lists }] }).connections;
    expect(shown?.blocklists.lastError).toBe('The list is gone');
  }
});

test('connectionStatus is the status that the status page shows', () => {
  for (const hasCrmToken of [true, false]) {
    for (const sync of [true, false]) {
      for (const recordedError of [null, 'boom']) {
        const facts = { ...BARE, hasCrmToken, recordedError, capabilities: { ...BARE.capabilities, sync } };
        const [shown] = accountStatus({ ...SURROUNDINGS, connections: [facts] }).connections;
        expect(connectionStatus(facts)).toBe(shown?.crmConnection.status);
      }
    }
  }
});
