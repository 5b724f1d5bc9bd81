import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGzipPages } from './gzip-pages.ts';

async function packAll(pieces: readonly string[], cutAt = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const parts: Buffer[] = [];
  let gzip = createGzipPages(null);
  for (const [index, piece] of pieces.entries()) {
    // Another process that resumes knows only the state.
    if (index === cutAt) gzip = createGzipPages(index === 0 ? null : { ...gzip.state });
    parts.push(await gzip.encode(Buffer.from(piece)));
  }
  return Buffer.concat([...parts, gzip.end()]);
}

test('all pieces form one gzip member, also after a resume between pieces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 200 }), { maxLength: 6 }), fc.nat(6), async (pieces, cutAt) => {
      const packed = await packAll(pieces);
      expect(gunzipSync(packed).toString()).toBe(pieces.join(''));
      expect((await packAll(pieces, cutAt)).equals(packed)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('a browser, which reads only one member, can read it', async () => {
  const packed = await packAll(['id\n1\n', '2\n', '']);
  const stream = new Blob([new Uint8Array(packed)]).stream().pipeThrough(new DecompressionStream('gzip'));
  expect(await new Response(stream).text()).toBe('id\n1\n2\n');
});
