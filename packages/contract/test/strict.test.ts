/** The strict validator accepts every example of the contract and reports every difference. */
import { describe, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { EVENT_TYPES } from '../src/vocabulary.ts';
import { createResponseValidator, createWebhookRequestValidator, declaredStatuses } from './strict.ts';
import { type MediaTypeObject, readContractDocument, type ResponseObject, resolve } from './strict-document.ts';

const document = readContractDocument();
const validate = createResponseValidator();
const validateWebhook = createWebhookRequestValidator();

const API_HEADERS = {
  Link: '</api/v1/openapi.json>; rel="service-desc", <https://docs.example.com>; rel="service-doc"',
  'Service-Request-Id': 'req_1',
  'Content-Type': 'application/json; charset=utf-8',
};
const ALL_HEADERS = {
  ...API_HEADERS,
  'Retry-After': '42',
  'WWW-Authenticate': 'Bearer realm="api"',
  'Cache-Control': 'public, max-age=300',
};
const SYNC = {
  id: 1,
  status: 'error',
  connectionId: 11,
  sourceId: null,
  eventType: 'EMAIL_REPLY',
  toEmail: 'ada@example.com',
  platform: 'smartlead',
  payloadId: null,
  error: { anything: { goes: 'here' } },
  createdAt: '2026-03-14T09:20:01.300Z',
};

const operationsWithBodies = operations.flatMap((row) => {
  const path = document.paths[row.path]?.[row.method.toLowerCase()];
  return Object.entries(path?.responses ?? {}).flatMap(([status, reference]) =>
    Object.entries(resolve<ResponseObject>(document, reference).content ?? {}).flatMap(([mediaType, media]) =>
      Object.entries((media as MediaTypeObject).examples ?? {}).map(([name, { value }]) => ({
        where: `${row.id} ${status} ${name}`,
        id: row.id,
        status: Number(status),
        mediaType,
        value,
      })),
    ),
  );
});

describe('every example passes', () => {
  test.each(operationsWithBodies)('$where', ({ id, status, mediaType, value }) => {
    expect(validate(id, status, { ...ALL_HEADERS, 'Content-Type': mediaType }, value)).toEqual([]);
  });

  test.each(EVENT_TYPES)('delivery of %s', (type) => {
    const media = document.webhooks[type]?.post.requestBody?.content['application/json'];
    const headers = {
      'service-event-id': 'osevt_1',
      'service-delivery-id': 'oswhd_1',
      'service-signature': `t=1773480413,v1=${'0f'.repeat(32)}`,
    };
    expect(validateWebhook(type, headers, media?.examples?.['event']?.value)).toEqual([]);
  });
});

describe('differences are reported', () => {
  test('a status that is not declared', () => {
    expect(validate('getSync', 418, API_HEADERS, SYNC)).toEqual(['undeclared status 418 of getSync']);
    expect(declaredStatuses('getSync')).toEqual([200, 401, 403, 404, 429, 431, 500]);
  });

  test('an extra field, at the top and nested', () => {
    expect(validate('getSync', 200, API_HEADERS, { ...SYNC, extra: 1 })).toEqual([
      'body must NOT have unevaluated properties: extra',
    ]);
    const page = { data: [{ ...SYNC, extra: 1 }], hasMore: false, nextCursor: null };
    expect(validate('listSyncs', 200, API_HEADERS, page)).toEqual([
      'body/data/0 must NOT have unevaluated properties: extra',
    ]);
  });

  test('an extra field where schemas are combined', () => {
    const created = operationsWithBodies.find(({ where }) => where === 'createWebhook 200 created')?.value;
    expect(validate('createWebhook', 200, API_HEADERS, created)).toEqual([]);
    expect(validate('createWebhook', 200, API_HEADERS, { ...(created as object), extra: 1 })).toEqual([
      'body must NOT have unevaluated properties: extra',
    ]);
    // Only create and rotate may show the secret.
    expect(validate('getWebhook', 200, API_HEADERS, created)).toEqual([
      'body must NOT have unevaluated properties: secret',
    ]);
  });

  test('a missing, null or malformed field', () => {
    const { payloadId: _missing, ...rest } = SYNC;
    expect(validate('getSync', 200, API_HEADERS, rest)).toEqual(["body must have required property 'payloadId'"]);
    expect(validate('getSync', 200, API_HEADERS, { ...SYNC, toEmail: null })).toEqual(['body/toEmail must be string']);
    expect(validate('getSync', 200, API_HEADERS, { ...SYNC, createdAt: '2026-03-14 09:20' })).not.toEqual([]);
    expect(validate('getSync', 200, API_HEADERS, { ...SYNC, createdAt: '2026-03-14T09:20:00+01:00' })).not.toEqual([]);
    expect(validate('getSync', 200, API_HEADERS, { ...SYNC, status: 'unheard-of' })).not.toEqual([]);
    // An open vocabulary accepts unknown values.
    expect(validate('getSync', 200, API_HEADERS, { ...SYNC, platform: 'unheard-of' })).toEqual([]);
  });

  test('a missing or wrong header, from fetch and from Node', () => {
    const { Link: _link, ...withoutLink } = API_HEADERS;
    expect(validate('getSync', 200, withoutLink, SYNC)).toEqual(['header Link is missing']);
    expect(validate('getSync', 200, new Headers(withoutLink), SYNC)).toEqual(['header Link is missing']);
    expect(validate('getSync', 200, new Headers(API_HEADERS), SYNC)).toEqual([]);
    const tooMany = { statusCode: 429, message: 'Too many requests', error: 'Too Many Requests' };
    expect(validate('getSync', 429, API_HEADERS, tooMany)).toEqual(['header Retry-After is missing']);
    expect(validate('getSync', 429, { ...API_HEADERS, 'retry-after': '0' }, tooMany)).toEqual([
      'header Retry-After must be >= 1',
    ]);
    expect(validate('getSync', 429, { ...API_HEADERS, 'retry-after': 'soon' }, tooMany)).not.toEqual([]);
  });

  test('a Link header with only one of the two documents, in any order', () => {
    const description = '</api/v1/openapi.json>; rel="service-desc"; type="application/json"';
    const documentation = '<https://docs.example.com/api>; rel="service-doc"';
    const judge = (Link: string) => validate('getSync', 200, { ...API_HEADERS, Link }, SYNC);
    expect(judge(`${documentation}, ${description}`)).toEqual([]);
    for (const incomplete of [description, documentation, `${description}, rel="service-doc"`, '']) {
      expect(judge(incomplete)).toEqual([expect.stringMatching(/^header Link must match pattern/)]);
    }
  });

  test('a body of another media type, a missing body and an undeclared body', () => {
    expect(validate('getSync', 200, { ...API_HEADERS, 'Content-Type': 'text/html' }, '<p>')).toEqual([
      'content-type text/html is not declared',
    ]);
    expect(validate('getSync', 200, API_HEADERS, undefined)).toEqual(['body is missing']);
    expect(validate('deleteWebhook', 204, API_HEADERS, '')).toEqual([]);
    expect(validate('deleteWebhook', 204, API_HEADERS, {})).toEqual(['body: there must be none']);
  });

  test('a delivery without its headers or with an extra field', () => {
    const body = { id: 'osevt_1', type: 'test.ping', created: '2026-03-14T12:00:00.000Z', summary: 'Test', data: {} };
    expect(validateWebhook('test.ping', {}, body)).toHaveLength(3);
    const headers = {
      'Service-Event-Id': 'osevt_1',
      'Service-Delivery-Id': 'oswhd_1',
      'Service-Signature': 't=1,v1=00',
    };
    expect(validateWebhook('test.ping', headers, { ...body, extra: 1 })).toEqual([
      'header Service-Signature must match pattern "^t=[0-9]+,v1=[0-9a-f]{64}$"',
      'body must NOT have unevaluated properties: extra',
    ]);
  });
});
