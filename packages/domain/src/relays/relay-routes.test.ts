import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressOfCampaign, nextOwnerRead, relayRoutes } from './relay-routes.ts';

describe('relayRoutes', () => {
  test.each([
    [['crm-owner', 'policy-owner', { campaigns: [{ campaign: 'Berlin*', to: 'ana@acme.example' }] }], null],
    [[], 'must have at least one route'],
    [['crm-owner', 'crm-owner'], 'names a route twice'],
    [['owner'], 'must be crm-owner, policy-owner'],
    [[{ campaigns: [{ campaign: '7', to: 'ana' }] }], 'must be'],
    ['crm-owner', 'must be a list of routes'],
  ])('%j', (given, problem) => {
    const { error } = relayRoutes.safeParse(given);
    if (problem === null) expect(error).toBeUndefined();
    else expect(error?.issues.map(({ message }) => message).join()).toContain(problem);
  });
});

test('an id of a campaign needs no quotes', () => {
  const entry = { campaign: 4711, to: 'id@acme.example' };
  expect(relayRoutes.parse([{ campaigns: [entry] }])).toEqual([{ campaigns: [{ ...entry, campaign: '4711' }] }]);
});

test('the first entry that fits the name or the id of a campaign gives the address', () => {
  const route = {
    campaigns: [
      { campaign: '4711', to: 'id@acme.example' },
      { campaign: 'berlin*', to: 'berlin@acme.example' },
      { campaign: '*', to: 'rest@acme.example' },
    ],
  };
  expect(addressOfCampaign(route, { id: '4711', name: 'Berlin' })).toBe('id@acme.example');
  expect(addressOfCampaign(route, { id: '8', name: 'Berlin, spring' })).toBe('berlin@acme.example');
  expect(addressOfCampaign(route, { id: null, name: 'Paris' })).toBe('rest@acme.example');
  expect(addressOfCampaign(route, { id: null, name: null })).toBeNull();
});

test('a CRM that does not work is asked a few times in two hours, and then no more', () => {
  const dueAt = new Date('2026-03-01T12:00:00Z');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60_000 }), (lateMs) => {
      const times: number[] = [];
      for (
        let now: Date | null = new Date(dueAt.getTime() + lateMs);
        now !== null;
        now = nextOwnerRead({ dueAt, now })
      ) {
        times.push(now.getTime());
      }
      expect(times.at(-1)).toBe(dueAt.getTime() + 2 * 60 * 60_000);
      expect(times.length).toBeLessThanOrEqual(10);
      expect(times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0))).toBe(true);
    }),
  );
});
