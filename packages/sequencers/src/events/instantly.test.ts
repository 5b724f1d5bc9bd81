import { expect, test } from 'vitest';
import { normalize } from './index.ts';

function read(event_type: string, fields: object = { lead_email: 'kim@example.org' }) {
  const body = { timestamp: '2026-03-01T10:00:00.000Z', event_type, ...fields };
  return normalize({ platform: 'instantly', mapping: null }, { headers: {}, body, bodyHash: 'a'.repeat(64) });
}

test.each([
  ['Heißer Lead', 'heisser_lead', 'Heißer Lead'],
  ['🔥🔥', '🔥🔥', '🔥🔥'],
  ['lead_meeting_booked', 'lead_meeting_booked', 'Meeting booked'],
  ['lead_out_of_office', 'lead_out_of_office', 'Out of office'],
  ['auto_reply_received', 'auto_reply_received', 'Auto reply'],
])('%s is a category, never an event type', (event_type, id, name) => {
  expect(read(event_type)).toMatchObject({
    outcome: 'events',
    events: [{ eventType: 'LEAD_CATEGORY_UPDATED', category: { id, name } }],
  });
});

test.each(['account_error', 'campaign_completed'])('%s concerns no lead, even if one is named', (event_type) => {
  expect(read(event_type)).toMatchObject({ outcome: 'ignored' });
});

test('a label without a lead is ignored', () => {
  expect(read('Heißer Lead', {})).toMatchObject({ outcome: 'ignored' });
});
