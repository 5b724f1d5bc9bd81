import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { isRelayed, planRelays, type RelayFacts, relaySkipReason } from './relay-reply.ts';
import { someReply } from './reply.fixture.ts';

type Facts = Omit<Partial<RelayFacts>, 'now' | 'latestCategory' | 'reply'> & {
  now?: string;
  latestCategory?: { id: string | null; name: string; at: string };
  reply?: Parameters<typeof someReply>[0];
};

testRuleCases('relay-reply', ({ rule }) => {
  rule<string>('isRelayed', isRelayed);
  rule<Facts>('relaySkipReason', ({ now, latestCategory, reply, ...facts }) =>
    relaySkipReason({
      reply: someReply(reply),
      receivedAt: new Date('2026-03-01T12:00:00Z'),
      dueAt: new Date('2026-03-01T12:05:00Z'),
      now: new Date(now ?? '2026-03-01T12:05:00Z'),
      relay: { ccEmail: 'rep@example.com', categoryAllowlist: [] },
      recipient: null,
      isBound: true,
      hasCapability: true,
      latestCategory: latestCategory ? { ...latestCategory, at: new Date(latestCategory.at) } : null,
      ownAddress: 'Relay@acme.example',
      ...facts,
    }),
  );
});

describe('planRelays', () => {
  const receivedAt = new Date('2026-03-01T12:00:00Z');

  test('plans one mail for each reply and relay', () => {
    const newEvents = [
      { id: 1, eventType: 'EMAIL_REPLY' },
      { id: 2, eventType: 'EMAIL_OPEN' },
      { id: 3, eventType: 'INMAIL_REPLY' },
    ];
    const relays = [
      { relayId: 7, delayMinutes: 0 },
      { relayId: 8, delayMinutes: 90 },
    ];
    expect(planRelays({ receivedAt, newEvents, relays })).toEqual([
      { relayId: 7, event: newEvents[0], dueAt: receivedAt },
      { relayId: 7, event: newEvents[2], dueAt: receivedAt },
      { relayId: 8, event: newEvents[0], dueAt: new Date('2026-03-01T13:30:00Z') },
      { relayId: 8, event: newEvents[2], dueAt: new Date('2026-03-01T13:30:00Z') },
    ]);
  });

  test('plans nothing without a relay', () => {
    expect(planRelays({ receivedAt, newEvents: [{ eventType: 'EMAIL_REPLY' }], relays: [] })).toEqual([]);
  });
});
