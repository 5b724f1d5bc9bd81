import type { NotFoundResource } from '@svc/contract/error-messages';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import {
  parseBooleanFilter,
  parseEnumFilter,
  parseIdFilter,
  parseLimit,
  parsePathId,
  parseQuery,
  parseRepeatedEnum,
  parseScalar,
  type RawParameter,
} from './parameters.ts';

interface Named {
  name: string;
  raw?: RawParameter;
}

testRuleCases('parameters', ({ rule }) => {
  rule<Named>('parseScalar', ({ name, raw }) => parseScalar(name, raw));
  rule<Named>('parseIdFilter', ({ name, raw }) => parseIdFilter(name, raw));
  rule<{ resource: NotFoundResource; raw: string }>('parsePathId', ({ resource, raw }) => parsePathId(resource, raw));
  rule<Named & { values: string[] }>('parseEnumFilter', ({ name, raw, values }) => parseEnumFilter(name, raw, values));
  rule<Named>('parseBooleanFilter', ({ name, raw }) => parseBooleanFilter(name, raw));
  rule<Named & { values: string[] }>('parseRepeatedEnum', ({ name, raw, values }) =>
    parseRepeatedEnum(name, raw, values),
  );
  rule<{ raw?: RawParameter; default: number; max: number }>('parseLimit', ({ raw, ...bounds }) =>
    parseLimit(raw, bounds),
  );
});

describe('parseQuery', () => {
  test.each([
    ['/api/v1/syncs', {}],
    ['/api/v1/syncs?', {}],
    ['/api/v1/syncs?limit=5', { limit: '5' }],
    ['?limit=5', { limit: '5' }],
    ['/api/v1/events?type=a&delivered=true&type=b&type=', { type: ['a', 'b', ''], delivered: 'true' }],
    ['/x?a=1+2%203%2B&b', { a: '1 2 3+', b: '' }],
    ['/x?a=b?c=d', { a: 'b?c=d' }],
    ['/x?a=%zz&=v', { a: '%zz', '': 'v' }],
  ])('%s', (target, query) => {
    expect({ ...parseQuery(target) }).toEqual(query);
  });

  test('inherited property names are undefined unless they were sent', () => {
    expect(parseQuery('/x')['constructor']).toBeUndefined();
    expect(parseQuery('/x?__proto__=1&__proto__=2')['__proto__']).toEqual(['1', '2']);
  });

  test('keeps every value in the order sent', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.string({ unit: 'grapheme' }))), (pairs) => {
        const query = parseQuery(`/x?${new URLSearchParams(pairs)}`);
        for (const name of ['a', 'b', 'c']) {
          const values = pairs.filter(([sent]) => sent === name).map(([, value]) => value.toWellFormed());
          expect(query[name]).toEqual(values.length > 1 ? values : values[0]);
        }
      }),
    );
  });
});
