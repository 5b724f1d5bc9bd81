import { expect, test } from 'vitest';
import { DAILY_LIMIT_REACHED, connectionErrorAfterWrite } from './connection-error.ts';

const write = (status: 'success' | 'warning' | 'error', error: { code: string; httpStatus: number | null } | null) => ({
  crm: 'HUBSPOT',
  status,
  error,
});
const REFUSED = 'HUBSPOT refuses access: connect it again with every scope, and check that its account is active.';
const LIMITED = 'The daily limit of calls to HUBSPOT is reached: writing goes on once HUBSPOT takes calls again.';

test.each([
  ['forbidden', 403, REFUSED],
  ['payment_required', 402, REFUSED],
  [DAILY_LIMIT_REACHED, 403, LIMITED],
  [DAILY_LIMIT_REACHED, 429, LIMITED],
])('records %s with status %s, for an error and a warning', (code, httpStatus, text) => {
  expect(connectionErrorAfterWrite(write('error', { code, httpStatus }))).toBe(text);
  expect(connectionErrorAfterWrite(write('warning', { code, httpStatus }))).toBe(text);
});

test.each([
  ['refused', 400],
  ['rate_limited', 429],
  ['rate_limited', 403],
  ['feature_missing', 403],
  ['disconnected', 401],
  ['crm_disconnected', null],
  ['unavailable', 503],
])('%s with status %s: an error changes nothing, a warning clears', (code, httpStatus) => {
  expect(connectionErrorAfterWrite(write('error', { code, httpStatus }))).toBeUndefined();
  expect(connectionErrorAfterWrite(write('warning', { code, httpStatus }))).toBeNull();
});

test('accepts errors of any shape', () => {
  expect(connectionErrorAfterWrite({ crm: 'HUBSPOT', status: 'error', error: {} })).toBeUndefined();
  expect(connectionErrorAfterWrite({ crm: 'HUBSPOT', status: 'error', error: null })).toBeUndefined();
});

test('a success clears', () => {
  expect(connectionErrorAfterWrite(write('success', null))).toBeNull();
});
