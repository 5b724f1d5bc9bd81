/** Values for the fields of random worlds: unusual ones, and few, so that rows often share a value. */
import { FAILING_HOSTS } from '../harness/targets/hosts.ts';

export const ODD_TEXTS = [
  'Plain',
  ' ',
  'é',
  'ﷺ',
  '😀 list',
  '"quoted"',
  '\\',
  'a\tb',
  '<b>',
  "o'clock",
  '\u202eabc',
  'Ａ１',
];
export const CONTACTS = [
  'replied@example.com',
  'Replied@Example.com',
  'REPLIED@EXAMPLE.COM',
  'lead@example.org',
  'müller@example.org',
  'https://www.linkedin.com/in/lena-ortiz',
  'linkedin.com/in/Lena-Ortiz/',
  'http://de.linkedin.com/in/lena-ortiz?x=1',
  'https://x.com/tomasz_zielin',
  'https://twitter.com/Tomasz_Zielin/status/1',
  'not an address',
];
export const IDENTITIES = ['replied@example.com', 'lead@example.org', 'https://www.linkedin.com/in/lena-ortiz'];
export const EVENT_TYPES = [
  'EMAIL_SENT',
  'EMAIL_OPEN',
  'EMAIL_LINK_CLICK',
  'EMAIL_REPLY',
  'EMAIL_BOUNCE',
  'LEAD_UNSUBSCRIBED',
  'LEAD_CATEGORY_UPDATED',
  'MESSAGE_SENT',
  'CONNECTION_REQUEST_SENT',
  'CALL_COMPLETED',
  'POST_LIKED',
  'SOMETHING_NEW',
];
export const PLATFORMS = ['smartlead', 'smartlead', 'instantly', 'heyreach', 'some-platform'];
/** Few instants, so that many rows share one. */
export const INSTANTS = [
  '-1ms',
  '-1h',
  '-1h',
  '-1h1ms',
  '-2d',
  '-2d',
  '-5d3h',
  '2026-03-20T10:00:00.123+02:00',
  '2026-03-20T08:00:00.123Z',
  '-30d',
  '-31d',
  '-31d1ms',
  '-45d',
  '0s',
  '+1h',
];
export const PAST_INSTANTS = INSTANTS.filter((instant) => !instant.startsWith('+') && instant !== '0s');
export const HOOKS = [
  'https://hooks.example.com/svc',
  'https://hooks.example.com/svc',
  'https://HOOKS.example.com/a?b=c#d',
  'https://hooks.example.com:8443/\u00e9',
  'https://10.0.0.7/private',
  'https://localhost/private',
  ...FAILING_HOSTS.map((host) => `https://${host}/hook`),
];
