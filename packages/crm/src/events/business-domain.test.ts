import { expect, test } from 'vitest';
import { toBusinessDomain } from './business-domain.ts';

test.each([
  ['fjord.example.org', 'kim@gmail.com', 'fjord.example.org'],
  [null, 'kim@fjord.example.org', 'fjord.example.org'],
  [null, 'kim@gmail.com', null],
  ['gmail.com', 'kim@fjord.example.org', null],
  [null, null, null],
])('company %j and address %j: %j', (companyDomain, email, expected) => {
  expect(toBusinessDomain(companyDomain, email)).toBe(expected);
});
