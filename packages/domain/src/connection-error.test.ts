import { expect, test } from 'vitest';
import { DAILY_LIMIT_REACHED, nextConnectionError } from './connection-error.ts';

const write = (status: 'success' | 'warning' | 'error', error: { code: string; httpStatus: number | null } | null) => ({
  crm: 'HUBSPOT',
  status,
  error,
});
const REFUSED = 'HUBSPOT refuses access: connect it again with every scope, and check that its account is active.';
const LIMITED = 'The daily limit of calls to HUBSPOT is reached: writing goes on once HUBSPOT takes calls again.';

test.each([
  ['forbidden', 403, REFUSED],
  [DAILY_LIMIT_REACHED, 429, LIMITED],
])('%s with %s is recorded, whatever was recorded before', (code, httpStatus, text) => {
  for (const recorded of [null, 'another', text]) {
    expect(nextConnectionError(recorded, write('error', { code, httpStatus }))).toBe(text);
  }
});

test.each([
  ['refused', 400],
  ['rate_limited', 429],
  ['disconnected', 401],
  ['crm_disconnected', null],
  ['unavailable', 503],
])('%s with %s changes nothing', (code, httpStatus) => {
  for (const recorded of [null, REFUSED]) {
    expect(nextConnectionError(recorded, write('error', { code, httpStatus }))).toBe(recorded);
  }
});

test('an error of any shape is taken', () => {
  expect(nextConnectionError(null, { crm: 'HUBSPOT', status: 'error', error: {} })).toBeNull();
  expect(nextConnectionError(null, { crm: 'HUBSPOT', status: 'error', error: null })).toBeNull();
});

test('a success clears it, and so does a warning, whatever part was refused', () => {
  expect(nextConnectionError(REFUSED, write('success', null))).toBeNull();
  expect(nextConnectionError(REFUSED, write('warning', { code: 'forbidden', httpStatus: 403 }))).toBeNull();
});
