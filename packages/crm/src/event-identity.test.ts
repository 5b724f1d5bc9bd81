import { expect, test } from 'vitest';
import { companyDomainOf, emailOf, profileUrlOf } from './event-identity.ts';
import { inboundEvent } from '../test/support/inbound-event.ts';

const { contact } = inboundEvent();
const URL_OF_KIM = 'https://www.linkedin.com/in/kim';
const source = {
  createOrUpdateCompany: true,
  createOrUpdateTask: false,
  assignContactOwner: false,
  salesforceObjectType: null,
  writeStateFields: false,
};

test.each([
  ['an address', { contact, toEmail: 'Kim@fjord.example.org' }, ['kim@fjord.example.org', null, 'fjord.example.org']],
  [
    'a recipient without a contact',
    { contact: { ...contact, email: null }, toEmail: 'kim@fjord.example.org' },
    ['kim@fjord.example.org', null, 'fjord.example.org'],
  ],
  ['only a profile', { contact: { ...contact, email: null }, toEmail: URL_OF_KIM }, [null, URL_OF_KIM, null]],
  [
    'a profile and the site of the company',
    { contact: { ...contact, email: null, companyDomain: 'fjord.example.org' }, toEmail: URL_OF_KIM },
    [null, URL_OF_KIM, 'fjord.example.org'],
  ],
  [
    'an address and a profile',
    { contact: { ...contact, profileUrl: URL_OF_KIM }, toEmail: 'kim@fjord.example.org' },
    ['kim@fjord.example.org', URL_OF_KIM, 'fjord.example.org'],
  ],
  [
    'a free mail host',
    { contact: { ...contact, email: 'kim@gmail.com' }, toEmail: 'kim@gmail.com' },
    ['kim@gmail.com', null, null],
  ],
])('%s: address, profile and domain of the company', (_name, changes, expected) => {
  const event = inboundEvent(changes);
  expect([emailOf(event), profileUrlOf(event), companyDomainOf({ event, source })]).toEqual(expected);
});

test('a source that writes no companies has no domain', () => {
  const event = inboundEvent();
  expect(companyDomainOf({ event, source: { ...source, createOrUpdateCompany: false } })).toBeNull();
});
