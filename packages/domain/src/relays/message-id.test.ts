import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { isOwnMessageId, relayMessageId, toMessageId } from './message-id.ts';

testRuleCases('message-id', ({ rule }) => {
  rule<string>('toMessageId', toMessageId);
  rule<string>('isOwnMessageId', isOwnMessageId);
});

test('no id is none', () => {
  expect(toMessageId(null)).toBeNull();
  expect(isOwnMessageId(null)).toBe(false);
});

test('the id of a relay mail depends on relay, event and time', () => {
  const mail = { relayId: 3, eventId: 41, receivedAt: new Date('2026-03-01T12:00:00Z'), domain: 'acme.example' };
  const id = relayMessageId(mail);
  expect(id).toBe('<svc-relay.3.41.mm7p6yo0@acme.example>');
  expect(relayMessageId({ ...mail })).toBe(id);
  expect(toMessageId(id)).toBe(id);
  expect(isOwnMessageId(id)).toBe(true);
  for (const other of [{ relayId: 4 }, { eventId: 42 }, { receivedAt: new Date('2026-03-01T12:00:00.001Z') }]) {
    expect(relayMessageId({ ...mail, ...other })).not.toBe(id);
  }
});

test('any text gives a printable id or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(toMessageId(`${text}@${text}`) ?? '<a@b>').toMatch(/^<[\x21-\x7e]+@[\x21-\x7e]+>$/);
    }),
  );
});
