import { expect, test } from 'vitest';
import { companyDomainOf } from './company-domain.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { planOf } from '../../test/support/plan.ts';

const { contact } = inboundEvent();
const URL_OF_KIM = 'https://www.linkedin.com/in/kim';
test.each([
  ['an address', { contact, toEmail: 'Kim@fjord.example.org' }, 'fjord.example.org'],
  [
    'a recipient without a contact',
    { contact: { ...contact, email: null }, toEmail: 'kim@fjord.example.org' },
    'fjord.example.org',
  ],
  ['only a profile', { contact: { ...contact, email: null }, toEmail: URL_OF_KIM }, null],
  [
    'a profile and the site of the company',
    { contact: { ...contact, email: null, companyDomain: 'fjord.example.org' }, toEmail: URL_OF_KIM },
    'fjord.example.org',
  ],
  [
    'an address and a profile',
    { contact: { ...contact, profileUrl: URL_OF_KIM }, toEmail: 'kim@fjord.example.org' },
    'fjord.example.org',
  ],
  ['a free mail host', { contact: { ...contact, email: 'kim@gmail.com' }, toEmail: 'kim@gmail.com' }, null],
])('%s: domain of the company', (_name, changes, expected) => {
  const event = inboundEvent(changes);
  expect(companyDomainOf({ event, plan: planOf(event, { source: { createOrUpdateCompany: true } }) })).toBe(expected);
});

test('a source that writes no companies has no domain', () => {
  const event = inboundEvent();
  expect(companyDomainOf({ event, plan: planOf(event) })).toBeNull();
});
