import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePost, encodePost } from './message.ts';

test('a post comes back as it was, whatever its bytes', () => {
  fc.assert(
    fc.property(
      fc.record(
        {
          id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
          path: fc.string({ minLength: 1 }),
          receivedAt: fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
          headers: fc.dictionary(
            fc.string().filter((name) => name !== '__proto__'),
            fc.string(),
          ),
          body: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
          traceparent: fc.string(),
        },
        { requiredKeys: ['id', 'path', 'receivedAt', 'headers', 'body'] },
      ),
      (post) => {
        const decoded = decodePost(encodePost(post));
        expect({ ...decoded, headers: { ...decoded?.headers } }).toEqual({ ...post, headers: { ...post.headers } });
      },
    ),
  );
});

/** What the queue of a running installation may hold: it must be readable for ever. */
const VERSION_1 =
  '{"version":1,"id":7,"path":"code","receivedAt":"2026-01-02T03:04:05.678Z","headers":{"x-event":"a"}}\n{"a":\n1}';

test('reads version 1, and ignores fields that later releases add', () => {
  const post = {
    id: 7,
    path: 'code',
    receivedAt: new Date('2026-01-02T03:04:05.678Z'),
    headers: { 'x-event': 'a' },
    body: Buffer.from('{"a":\n1}'),
  };
  expect(decodePost(Buffer.from(VERSION_1))).toEqual(post);
  expect(decodePost(Buffer.from(VERSION_1.replace('{', '{"added":[1],')))).toEqual(post);
});

test.each([
  ['nothing', ''],
  ['no head', '\n{}'],
  ['no end of the head', VERSION_1.slice(0, VERSION_1.indexOf('\n'))],
  ['no JSON', 'post\n{}'],
  ['an unknown version', VERSION_1.replace('1', '2')],
  ['no id', VERSION_1.replace('"id":7,', '')],
  ['an id that is no number', VERSION_1.replace('7', '"7"')],
  ['no time', VERSION_1.replace('2026-01-02T', '')],
  ['a header that is no text', VERSION_1.replace('"a"}', '1}')],
])('does not read a message with %s', (_what, text) => {
  expect(decodePost(Buffer.from(text))).toBeNull();
});
