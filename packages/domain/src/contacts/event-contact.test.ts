import { expect, test } from 'vitest';
import { emailOf, profileUrlOf } from './event-contact.ts';

const NOTHING = { email: null, profileUrl: null };
const PROFILE = 'https://www.linkedin.com/in/kim';

test.each([
  ['an address', { contact: NOTHING, toEmail: 'Kim@lead.example' }, 'kim@lead.example', null],
  ['a profile', { contact: NOTHING, toEmail: PROFILE }, null, PROFILE],
  ['both', { contact: { email: null, profileUrl: PROFILE }, toEmail: 'kim@lead.example' }, 'kim@lead.example', PROFILE],
  [
    'an address that came beside a profile',
    { contact: { ...NOTHING, email: 'K@lead.example' }, toEmail: PROFILE },
    'k@lead.example',
    PROFILE,
  ],
])('%s', (_name, event, email, profileUrl) => {
  expect([emailOf(event), profileUrlOf(event)]).toEqual([email, profileUrl]);
});
