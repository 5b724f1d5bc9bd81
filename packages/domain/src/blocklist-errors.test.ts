import { expect, test } from 'vitest';
import { crmDisconnectedReason, fetchErrorText } from './blocklist-errors.ts';

test('the error of a list that could not be read says why, and what to do', () => {
  expect(fetchErrorText(crmDisconnectedReason('HUBSPOT'))).toBe(
    'The CRM list could not be read: HUBSPOT is disconnected: connect it again, then resync the list',
  );
});
