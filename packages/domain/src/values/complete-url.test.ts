import { expect, test } from 'vitest';
import { isLoopbackHost } from '../network/loopback.ts';
import { completeUrl } from './complete-url.ts';

const complete = (text: string) => completeUrl(text, ({ host }) => isLoopbackHost(host));

test.each([
  ['localhost', 'http://localhost'],
  ['localhost:4393/hooks', 'http://localhost:4393/hooks'],
  ['LOCALHOST:80', 'http://LOCALHOST:80'],
  ['app.localhost/x', 'http://app.localhost/x'],
  ['127.0.0.1:4000', 'http://127.0.0.1:4000'],
  ['[::1]:4000/x?y=1', 'http://[::1]:4000/x?y=1'],
  ['sync.example.com', 'https://sync.example.com'],
  ['sync.example.com:8443/api', 'https://sync.example.com:8443/api'],
  ['receiver:3000/hooks', 'https://receiver:3000/hooks'],
])('%s becomes %s', (text, url) => {
  expect(complete(text)).toBe(url);
});

test.each([
  'http://localhost:4393',
  'https://sync.example.com',
  'ftp://localhost',
  '//localhost/x',
  'mailto:kim@example.org',
  'kim@localhost',
  'user:secret@localhost:80',
  'localhost:99999',
  'localhost:port',
  'nope',
  '/hooks',
  '4393',
  'two words.example',
  '',
])('%j is left alone', (text) => {
  expect(complete(text)).toBeNull();
});
