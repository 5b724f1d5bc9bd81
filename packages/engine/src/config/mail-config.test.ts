import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { parseSmtpUrl, toMailConfig } from './mail-config.ts';

test.each([
  ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, tls: 'implicit', login: null }],
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, tls: 'starttls', login: null }],
  [
    'smtps://kim%40example.com:p%3A%2Fw@mail.example.com:2465/',
    { host: 'mail.example.com', port: 2465, tls: 'implicit', login: { user: 'kim@example.com', password: 'p:/w' } },
  ],
  ['smtp://127.0.0.1:2525', { host: '127.0.0.1', port: 2525, tls: 'none', login: null }],
  ['smtp://[::1]:2525', { host: '::1', port: 2525, tls: 'none', login: null }],
  ['smtp://postfix:25?tls=off', { host: 'postfix', port: 25, tls: 'none', login: null }],
])('reads %s', (text, expected) => {
  expect(parseSmtpUrl(text)).toEqual(expected);
});

test.each([
  'mail.example.com',
  'https://mail.example.com',
  'smtp://',
  'smtp://mail.example.com/path',
  'smtp://mail.example.com#x',
  'smtps://mail.example.com?tls=off',
  'smtp://mail.example.com?tls=none',
  'smtp://kim@mail.example.com',
  'smtp://:password@mail.example.com',
  'smtp://kim:100%@mail.example.com',
])('refuses %s', (text) => {
  expect(parseSmtpUrl(text)).toBeNull();
});

test('the server has both settings or none, and no message repeats a password', () => {
  const SVC_SMTP_URL = 'smtps://kim:secret-1@mail.example.com';
  const SVC_MAIL_FROM = 'Replies <relay@example.com>';
  expect(readConfig({}).mail).toBeNull();
  expect(readConfig({ SVC_SMTP_URL, SVC_MAIL_FROM }).mail).toEqual(
    toMailConfig({ smtpUrl: SVC_SMTP_URL, from: SVC_MAIL_FROM }),
  );
  const refusals = [
    [{ SVC_SMTP_URL }, 'SVC_MAIL_FROM must be set too, because SVC_SMTP_URL is'],
    [{ SVC_MAIL_FROM }, 'SVC_SMTP_URL must be set too, because SVC_MAIL_FROM is'],
    [{ SVC_SMTP_URL: 'smtp://kim:secret-1@', SVC_MAIL_FROM }, 'SVC_SMTP_URL must be smtps://'],
    [{ SVC_SMTP_URL, SVC_MAIL_FROM: 'a@b.example\r\nBcc: c@d.example' }, 'SVC_MAIL_FROM must be an address such as'],
  ] as const;
  for (const [environment, message] of refusals) {
    let thrown: unknown;
    try {
      readConfig(environment);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConfigError);
    expect(String(thrown)).toContain(message);
    expect(String(thrown)).not.toContain('secret-1');
  }
});

test('settings of a simulator that are not valid give none', () => {
  expect(toMailConfig({ smtpUrl: 'nowhere', from: 'relay@example.com' })).toBeNull();
  expect(toMailConfig({ smtpUrl: 'smtp://127.0.0.1', from: 'nobody' })).toBeNull();
});
