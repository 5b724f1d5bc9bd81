import { expect, test } from 'vitest';
import { resolveApiUrl } from './url.ts';

test.each([
  ['/me', '/api/v1/me'],
  ['me', '/api/v1/me'],
  ['/api/v1/me', '/api/v1/me'],
  ['api/v1/syncs?limit=5', '/api/v1/syncs?limit=5'],
  ['/syncs?limit=5#x', '/api/v1/syncs?limit=5'],
  ['/health/live', '/health/live'],
  ['/webhooks', '/api/v1/webhooks'],
  ['/api/v2/me', '/api/v1/api/v2/me'],
  ['/api/v1', '/api/v1'],
  ['http://svc.example/api/v1/me', '/api/v1/me'],
  ['HTTP://SVC.example/other', '/other'],
])('%s', (path, expected) => {
  const url = resolveApiUrl('http://svc.example', path);
  expect(url.href).toBe(`http://svc.example${expected}`);
});

test('keeps a path prefix of the base URL', () => {
  expect(resolveApiUrl('https://svc.example/p/', '/me').href).toBe('https://svc.example/p/api/v1/me');
  expect(resolveApiUrl('https://svc.example/p', 'https://svc.example/p/api/v1/me').pathname).toBe('/p/api/v1/me');
});

test.each([
  ['https://evil.example/api/v1/me'],
  ['http://svc.example:81/api/v1/me'],
  ['https://svc.example/api/v1/me'],
  ['http://svc.example.evil.example/p/x'],
  ['http://svc.example@evil.example/p/x'],
  ['http://me:pass@svc.example/p/x'],
  ['//evil.example/p/me'],
  ['\\\\evil.example\\p\\me'],
  ['/../../..'],
  ['/../../../other'],
  ['http://svc.example/other'],
  ['file:///etc/passwd'],
  ['javascript:alert(1)'],
  ['/'],
  [''],
])('refuses addresses outside the service: %s', (path) => {
  expect(() => resolveApiUrl('http://svc.example/p', path)).toThrow(expect.objectContaining({ exitCode: 2 }));
});
