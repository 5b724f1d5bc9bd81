import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decompress } from './decompress.ts';

const received = (encoding: string, body: Uint8Array) =>
  decompress({ method: 'POST', target: '/', ip: '127.0.0.1', headers: { 'content-encoding': encoding, a: 'b' }, body });

test.each([
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])('decompresses %s', (encoding, compress) => {
  const { headers, body } = received(encoding, compress('{"a":1}'));
  expect([headers, new TextDecoder().decode(body)]).toEqual([{ a: 'b' }, '{"a":1}']);
});

test.each(['gzip', 'br', 'compress', 'constructor'])('leaves a body that is not %s as it is', (encoding) => {
  const body = new TextEncoder().encode('plain');
  expect(received(encoding, body)).toMatchObject({ headers: { 'content-encoding': encoding }, body });
});

test('cuts off a body that is larger than anything accepts', () => {
  const { headers, body } = received('gzip', gzipSync('x'.repeat(20_000_000)));
  expect([headers, body.length]).toEqual([{ a: 'b' }, 4 * 1024 * 1024]);
});
