import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findBrokenInstants, resolveEmbeddedInstants } from './embedded-instants.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');

describe('embedded instants', () => {
  test('are resolved at any depth, and nothing else changes', () => {
    const json = {
      at: { $instant: '-1h' },
      list: [{ deep: { $instant: '0s' } }, '-1h', null],
      keep: { distance: '-3d' },
    };
    expect(resolveEmbeddedInstants(json, NOW)).toEqual({
      at: '2026-03-01T11:00:00.000Z',
      list: [{ deep: '2026-03-01T12:00:00.000Z' }, '-1h', null],
      keep: { distance: '-3d' },
    });
    expect(json.at).toEqual({ $instant: '-1h' });
  });

  test('a mark that holds no text is not changed', () => {
    expect(resolveEmbeddedInstants({ at: { $instant: 5 } }, NOW)).toEqual({ at: { $instant: 5 } });
  });

  test('JSON without marks is not changed', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== '$instant'),
          fc.jsonValue(),
        ),
        (json) => {
          fc.pre(!JSON.stringify(json).includes('$instant'));
          expect(findBrokenInstants(json)).toEqual([]);
          expect(JSON.stringify(resolveEmbeddedInstants(json, NOW))).toBe(JSON.stringify(json));
        },
      ),
    );
  });

  test.each([
    [{ a: { $instant: 'soon' } }, [['a', '$instant']]],
    [{ a: [{ $instant: 5 }] }, [['a', 0, '$instant']]],
    [{ a: { $instant: '-1h', b: 1 } }, [['a', '$instant']]],
    [{ a: { $instant: '-1h' } }, []],
  ])('%j is broken at %j', (json, paths) => {
    expect(findBrokenInstants(json)).toEqual(paths);
  });
});
