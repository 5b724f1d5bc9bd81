import type { Exchange } from '@svc/simulators';
import { expect, test } from 'vitest';
import { createExchangeCheck, fields, listOf, oneOf, orNull } from './check-exchanges.ts';

const check = createExchangeCheck({
  source: 'a test',
  date: '2026-11-26',
  operations: {
    'GET /things/search': { query: { limit: { type: 'integer' } }, answers: { 200: listOf({ type: 'string' }) } },
    'GET /things/{id}': { answers: { 200: fields({ id: { type: 'integer' }, color: orNull(oneOf('red')) }, ['id']) } },
    'PUT /things/{id}': { body: fields({ color: oneOf('red', 'blue') }, ['color']), answers: { 204: null } },
  },
  refusal: fields({ error: { type: 'string' } }, ['error']),
});

function exchange(call: string, body: unknown, answer: Exchange['answer']): Exchange {
  const [method = '', path = ''] = call.split(' ');
  return { method, url: new URL(path, 'http://127.0.0.1'), body, answer };
}

test.each<[string, Exchange]>([
  ['a query with a number', exchange('GET /things/search?limit=2', undefined, { status: 200, body: ['a'] })],
  ['null where it is allowed', exchange('GET /things/7', undefined, { status: 200, body: { id: 7, color: null } })],
  ['an answer without a body', exchange('PUT /things/7', { color: 'blue' }, { status: 204 })],
  ['a refusal', exchange('PUT /things/7', { color: 'red' }, { status: 400, body: { error: 'no' } })],
  ['a page of a gateway', exchange('GET /things/7', undefined, { status: 502, text: '<html></html>' })],
  ['a call without an answer', exchange('GET /things/7', undefined, null)],
])('%s deviates in nothing', (_, sent) => {
  expect(check(sent)).toEqual([]);
});

test.each<[string, Exchange, string]>([
  ['an unknown operation', exchange('POST /things', {}, null), 'POST /things: the vendor has no such operation'],
  [
    'an unknown parameter',
    exchange('GET /things/7?x=1', undefined, null),
    'GET /things/{id}: query: must NOT have additional properties (x)',
  ],
  [
    'text as a number in the query',
    exchange('GET /things/search?limit=a', undefined, null),
    'query/limit: must be integer, but is "a"',
  ],
  [
    'a body that the vendor does not read',
    exchange('GET /things/7', {}, null),
    'body: there is a body where the vendor has none',
  ],
  ['a missing body', exchange('PUT /things/7', undefined, null), 'body: there is no body'],
  [
    'an unknown field',
    exchange('PUT /things/7', { color: 'red', size: 1 }, null),
    'body: must NOT have additional properties (size)',
  ],
  [
    'an unknown value',
    exchange('PUT /things/7', { color: 'green' }, null),
    'body/color: must be equal to one of the allowed values, but is "green"',
  ],
  [
    'an answer of another status',
    exchange('GET /things/7', undefined, { status: 201, body: { id: 7 } }),
    'answer 201: the vendor has no answer with this status',
  ],
  [
    'an answer of another type',
    exchange('GET /things/7', undefined, { status: 200, body: { id: '7' } }),
    'answer 200/id: must be integer, but is "7"',
  ],
  [
    'an answer without a field',
    exchange('GET /things/7', undefined, { status: 200, body: {} }),
    "answer 200: must have required property 'id'",
  ],
  [
    'another form of a refusal',
    exchange('GET /things/7', undefined, { status: 404, body: {} }),
    "answer 404: must have required property 'error'",
  ],
])('%s is a deviation', (_, sent, deviation) => {
  expect(check(sent)).toEqual([expect.stringContaining(deviation)]);
});
