import { expect, test } from 'vitest';
import { findEvent } from './index.ts';

const body = {
  event_type: 'EMAIL_REPLY',
  event_timestamp: '2026-03-01T00:00:00.000Z',
  to_email: 'Maren.Holt@fjordfreight.example.org',
  stats_id: 'stats-1',
};
const input = { headers: {}, body, bodyHash: '' };

test.each([
  ['finds the event by type and address', 'smartlead', 'EMAIL_REPLY', 'maren.holt@fjordfreight.example.org'],
  ['ignores the case of the address', 'smartlead', 'EMAIL_REPLY', 'MAREN.HOLT@fjordfreight.example.org'],
])('%s', (_name, platform, eventType, toEmail) => {
  expect(findEvent({ platform, mapping: null }, input, { eventType, toEmail })).toMatchObject({
    eventType: 'EMAIL_REPLY',
    toEmail: 'maren.holt@fjordfreight.example.org',
  });
});

test.each([
  ['another type', 'smartlead', 'EMAIL_SENT', 'maren.holt@fjordfreight.example.org'],
  ['another lead', 'smartlead', 'EMAIL_REPLY', 'somebody.else@fjordfreight.example.org'],
  ['a platform that this release does not read', 'apollo', 'EMAIL_REPLY', 'maren.holt@fjordfreight.example.org'],
])('returns null for %s', (_name, platform, eventType, toEmail) => {
  expect(findEvent({ platform, mapping: null }, input, { eventType, toEmail })).toBeNull();
});
