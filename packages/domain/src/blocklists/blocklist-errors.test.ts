import { expect, test } from 'vitest';
import { crmDisconnectedReason, fetchErrorText, refusedEntriesText } from './blocklist-errors.ts';

test('the fetch error says why, and what to do', () => {
  expect(fetchErrorText(crmDisconnectedReason('HUBSPOT'))).toBe(
    'The CRM list could not be read: HUBSPOT is disconnected: connect it again, then resync the list',
  );
});

test('the text for refused entries says how many, and what to do', () => {
  expect(refusedEntriesText(1)).toBe('1 entry was refused by the sequencer: a resync tries it again');
  expect(refusedEntriesText(2)).toBe('2 entries were refused by the sequencer: a resync tries them again');
});
