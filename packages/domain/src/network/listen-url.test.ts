import { expect, test } from 'vitest';
import { listenUrl } from './listen-url.ts';

test.each([
  ['127.0.0.1', 'http://127.0.0.1:4000'],
  ['localhost', 'http://localhost:4000'],
  ['::1', 'http://[::1]:4000'],
  ['0.0.0.0', 'http://127.0.0.1:4000'],
  ['::', 'http://127.0.0.1:4000'],
])('a server on %s has the URL %s', (host, url) => {
  expect(listenUrl(host, 4_000)).toBe(url);
});
