import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { type CursorRows, decodeCursor, encodeCursor, parseCursor } from './cursor.ts';
import type { RawParameter } from './parameters.ts';

/** Encodes a position whose id type is not known at compile time. */
function encodeAny(rows: CursorRows, createdAt: Date, id: number | string): string {
  if (rows === 'event' || rows === 'webhook-delivery') return encodeCursor({ rows, createdAt, id: String(id) });
  return encodeCursor({ rows, createdAt, id: Number(id) });
}

testRuleCases('cursor', ({ rule }) => {
  rule<{ rows: CursorRows; createdAt: string; id: number | string }>('encodeCursor', ({ rows, createdAt, id }) =>
    encodeAny(rows, new Date(createdAt), id),
  );
  rule<{ rows: CursorRows; text: string }>('decodeCursor', ({ rows, text }) => decodeCursor(rows, text));
  rule<{ rows: CursorRows; raw?: RawParameter }>('parseCursor', ({ rows, raw }) => parseCursor(rows, raw));
});

const createdAt = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) }).map((ms) => new Date(ms));
const integerId = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const idTail = fc.stringMatching(/^[0-9A-Za-z_-]{1,64}$/);
const position = fc.oneof(
  fc.record({ rows: fc.constantFrom('request', 'sync', 'delivery'), createdAt, id: integerId }),
  fc.record({ rows: fc.constant('event'), createdAt, id: idTail.map((tail) => `osevt_${tail}`) }),
  fc.record({ rows: fc.constant('webhook-delivery'), createdAt, id: idTail.map((tail) => `oswhd_${tail}`) }),
);
const everyRows = ['request', 'sync', 'delivery', 'event', 'webhook-delivery'] as const;

describe('laws of the cursor', () => {
  test('decodes what was encoded', () => {
    fc.assert(
      fc.property(position, ({ rows, createdAt: at, id }) => {
        const text = encodeAny(rows, at, id);
        expect(text).toMatch(/^[0-9A-Za-z_-]+$/);
        expect(decodeCursor(rows, text)).toEqual({ createdAt: at, id });
      }),
    );
  });

  test('400 for a cursor of any other rows', () => {
    fc.assert(
      fc.property(position, fc.constantFrom(...everyRows), ({ rows, createdAt: at, id }, other) => {
        fc.pre(rows !== other);
        expect(() => decodeCursor(other, encodeAny(rows, at, id))).toThrow('cursor is malformed');
      }),
    );
  });

  test('a text that decodes encodes back to itself; any other text is a 400', () => {
    const valid = position.map(({ rows, createdAt: at, id }) => encodeAny(rows, at, id));
    const changed = fc
      .tuple(valid, fc.nat(300), fc.string({ maxLength: 3 }))
      .map(([text, at, patch]) => text.slice(0, at) + patch + text.slice(at + 1));
    const anyText = fc.oneof(fc.string(), fc.base64String(), changed);
    fc.assert(
      fc.property(fc.constantFrom(...everyRows), anyText, (rows, text) => {
        try {
          const decoded = decodeCursor(rows, text);
          expect(encodeAny(rows, decoded.createdAt, decoded.id)).toBe(text);
        } catch (error) {
          expect(error).toMatchObject({ name: 'ApiError', statusCode: 400 });
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('encodeCursor throws for an invalid position', () => {
  test.each([
    ['an invalid date', new Date(Number.NaN), 1],
    ['an instant before 1970', new Date(-1), 1],
    ['an instant after 9999', new Date(Date.UTC(10_000, 0, 1)), 1],
    ['a fraction as id', new Date(0), 1.5],
    ['zero as id', new Date(0), 0],
  ])('%s', (_name, at, id) => {
    expect(() => encodeCursor({ rows: 'sync', createdAt: at, id })).toThrow(
      new RangeError(`not a position of a list: sync:${at.getTime()}:${id}`),
    );
  });

  test.each(['oswhd_1', 'osevt_1:2', 'osevt_'])('%s as id of an event', (id) => {
    expect(() => encodeCursor({ rows: 'event', createdAt: new Date(0), id })).toThrow(RangeError);
  });
});
