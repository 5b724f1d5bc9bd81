import { expect, test } from 'vitest';
import { crmDisconnectedError, givenUpError, payloadUnreadableError, syncDisabledError } from './sync-errors.ts';

test('crmDisconnectedError names the CRM to connect', () => {
  expect(crmDisconnectedError('HUBSPOT')).toEqual({
    code: 'crm_disconnected',
    message: 'HUBSPOT is disconnected: connect it again, then retry the sync.',
    httpStatus: null,
  });
  expect(crmDisconnectedError('PIPEDRIVE').message).toBe('PIPEDRIVE is disconnected: connect it again.');
});

test('syncDisabledError says what to do', () => {
  expect(syncDisabledError()).toEqual({
    code: 'sync_disabled',
    message: 'Syncing is switched off on the connection: switch it on, then retry the sync.',
    httpStatus: null,
  });
});

test('payloadUnreadableError says why', () => {
  expect(payloadUnreadableError()).toEqual({
    code: 'payload_unreadable',
    message: 'The received payload does not hold this event any more, so it could not be written again.',
    httpStatus: null,
  });
});

test('givenUpError keeps the details and says what to do', () => {
  const error = { code: 'unavailable', message: 'HubSpot answered 503 to the contact', httpStatus: 503 };
  expect(givenUpError(error, 'HUBSPOT')).toEqual({
    ...error,
    message: 'HubSpot answered 503 to the contact (given up after 24 hours: retry the sync)',
  });
  expect(givenUpError({ code: 'x' }, 'PIPEDRIVE')).toEqual({
    code: 'x',
    message: 'The CRM did not take it (given up after 24 hours)',
  });
});
