import { relayRoutes } from '@svc/domain/relays/relay-routes';
import { expect, test } from 'vitest';
import { formatRoutes, parseRoutes } from './routes-text.ts';

test('routes become lines, and lines the same routes', () => {
  const routes = relayRoutes.parse([
    'policy-owner',
    {
      campaigns: [
        { campaign: 'A = B, spring', to: 'kim@example.com' },
        { campaign: 7, to: 'lee@example.com' },
      ],
    },
    'crm-owner',
  ]);
  const text = 'policy-owner\nA = B, spring = kim@example.com\n7 = lee@example.com\ncrm-owner';
  expect(formatRoutes(routes)).toBe(text);
  expect(parseRoutes(`\n ${text.replaceAll('\n', ' \n\n')}`)).toEqual(routes);
});

test('no lines are no routes', () => {
  expect([formatRoutes(null), parseRoutes(' \n')]).toEqual(['', null]);
});

test('a line that is no route gives one that is refused', () => {
  for (const text of [
    'crm owner',
    'Spring =',
    '= kim@example.com',
    'A = a@example.com\ncrm-owner\nB = b@example.com',
  ]) {
    expect([text, relayRoutes.safeParse(parseRoutes(text)).success]).toEqual([text, false]);
  }
});
