import { expect, test } from 'vitest';
import { crmDisconnectedError, payloadUnreadableError, syncDisabledError } from './sync-errors.ts';

test('a sync that could not be written says which CRM to connect, and that none answered', () => {
  expect(crmDisconnectedError('HUBSPOT')).toEqual({
    code: 'crm_disconnected',
    message: 'HUBSPOT is disconnected: connect it again, then retry the sync.',
    httpStatus: null,
  });
  expect(crmDisconnectedError('PIPEDRIVE').message).toBe('PIPEDRIVE is disconnected: connect it again.');
});

test('a retry while syncing is switched off says so', () => {
  expect(syncDisabledError()).toEqual({
    code: 'sync_disabled',
    message: 'Syncing is switched off on the connection: switch it on, then retry the sync.',
    httpStatus: null,
  });
});

test('a retry of an event that is not in the kept payload any more says so', () => {
  expect(payloadUnreadableError()).toEqual({
    code: 'payload_unreadable',
    message: 'The received payload does not hold this event any more, so it could not be written again.',
    httpStatus: null,
  });
});
