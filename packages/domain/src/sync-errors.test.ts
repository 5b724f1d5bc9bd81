import { expect, test } from 'vitest';
import { crmDisconnectedError } from './sync-errors.ts';

test('a sync that could not be written says which CRM to connect, and that none answered', () => {
  expect(crmDisconnectedError('HUBSPOT')).toEqual({
    code: 'crm_disconnected',
    message: 'HUBSPOT is disconnected: connect it again, then retry the sync.',
    httpStatus: null,
  });
});
