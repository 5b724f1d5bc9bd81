import { expect, test } from 'vitest';
import { isSameOrganization } from './same-organization.ts';

test.each([
  ['SALESFORCE', '00D5g00000AbCdE', '00D5g00000AbCdEEAV', true],
  ['SALESFORCE', '00D5g00000AbCdE', '00D5g00000AbCde', false],
  ['HUBSPOT', '123456789012345', '123456789012345678', false],
  ['HUBSPOT', '4711', '4711', true],
])('%s: %s and %s: %s', (crm, one, other, expected) => {
  expect(isSameOrganization(crm, one, other)).toBe(expected);
});
