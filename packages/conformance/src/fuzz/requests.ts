/** Arbitraries for unusual requests: path ids, queries, headers and bodies, valid and invalid. */
import { gzipSync } from 'node:zlib';
import { type Operation, type OperationId, operationById } from '@svc/contract/operations';
import fc from 'fast-check';
import { MONTH, WORLD } from '../harness/world.ts';

export interface FuzzRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

const NASTY_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u0001\u001f\u007f',
  '\r\nX-Injected: 1',
  '\ufeff',
  '\u202e',
  'ﷺ'.repeat(50),
  '😀',
  'é',
  '１２３',
  '-0',
  '+1',
  '1e400',
  'NaN',
  'null',
  'undefined',
  'true',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "' or 1=1 --",
  '"; drop table syncs; --',
  '\\',
  '%',
  '%%',
  '%_',
  '${7*7}',
  '{{7*7}}',
  '../../etc/passwd',
  '..',
  '.',
  '<script>alert(1)</script>',
  '2026-02-30',
  '0000-00-00T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-19T23:59:59.999Z',
  '9007199254740992',
  '99999999999999999999999999',
  '-1',
  '0',
  '1.5',
  'x'.repeat(3_000),
];

const nastyText = fc.oneof(
  fc.constantFrom(...NASTY_TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.integer().map(String),
);

/** Path segments, including broken percent-encoding. */
const rawSegment = fc.oneof(
  nastyText.map(encodeAnything),
  fc.constantFrom(
    '',
    '%',
    '%zz',
    '%00',
    '%ff',
    '%c0%af',
    '%2e%2e',
    '%2F',
    '..',
    '.',
    ';a=b',
    '*',
    '~',
    "'",
    '(',
    'é',
    '\\',
  ),
  fc.stringMatching(/^[\w.~!$&'()*+,;=:@%-]{1,30}$/),
);

/** Percent-encodes any text. Lone surrogates become bytes that are not UTF-8. */
function encodeAnything(text: string): string {
  return encodeURIComponent(text.isWellFormed() ? text : text.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80');
}

const idsOf = (rows: readonly { readonly id: number | string }[]) => rows.slice(0, 40).map(({ id }) => String(id));
const IDS: Readonly<Record<string, readonly string[]>> = {
  Source: idsOf(WORLD.sources),
  Sync: idsOf(WORLD.syncs),
  Destination: idsOf(WORLD.destinations),
  Delivery: idsOf(WORLD.deliveries),
  Blocklist: idsOf(WORLD.blocklists),
  Webhook: idsOf(WORLD.webhooks),
  Event: idsOf(WORLD.events),
};
const WEBHOOK_DELIVERY_IDS = idsOf(WORLD.webhookDeliveries);

function pathOf(operation: Operation): fc.Arbitrary<string> {
  const ids = operation.pathParams.map(({ resource, type }) => {
    const known = type === 'string' && resource === 'Delivery' ? WEBHOOK_DELIVERY_IDS : (IDS[resource] ?? []);
    return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, { weight: 2, arbitrary: rawSegment });
  });
  return fc.tuple(...ids).map((values) => {
    const left = [...values];
    return operation.path.replaceAll(/\{\w+\}/g, () => left.shift() ?? '');
  });
}

const CURSORS = ['c3luYzoxNzc0OTU4NDAwMDAwOjE', 'ZXZlbnQ6MTc3NDk1ODQwMDAwMDpvc2V2dF94', 'x', '='];
const VALID_VALUES: Readonly<Record<string, readonly string[]>> = {
  from: [MONTH.from, '2026-03-20', '2026-03-20T10:00:00+02:00'],
  to: [MONTH.to, '2026-03-25', '2026-03-25T23:59:59.999Z'],
  status: ['success', 'error', 'warning', 'DEAD', 'PENDING'],
  sourceId: ['1', '5', '13'],
  destinationId: ['1', '7'],
  connectionId: ['1', '2', '5'],
  limit: ['1', '25', '100', '500'],
  cursor: CURSORS,
  type: ['sync.failed', 'test.ping'],
  delivered: ['true', 'false'],
  email: ['replied@example.com'],
  profileUrl: ['https://www.linkedin.com/in/lena-ortiz', 'x.com/tomasz_zielin'],
};
const ANY_NAME = [...Object.keys(VALID_VALUES), '__proto__', 'constructor', 'limit[]', 'limit[a]', 'a'.repeat(300), ''];

function validValues(name: string): readonly string[] {
  return (Object.hasOwn(VALID_VALUES, name) ? VALID_VALUES[name] : undefined) ?? ['1'];
}

function queryOf(operation: Operation): fc.Arbitrary<string> {
  const known = operation.queryParams.filter((name) => Object.hasOwn(VALID_VALUES, name));
  // Required parameters are usually present.
  const needed = known.filter((name) => name === 'from' || name === 'to');
  const name = fc.oneof(...(known.length === 0 ? [] : [fc.constantFrom(...known)]), fc.constantFrom(...ANY_NAME));
  const odd = name.chain((chosen) =>
    fc.tuple(
      fc.constant(encodeAnything(chosen)),
      fc.oneof(fc.constantFrom(...validValues(chosen)), nastyText).map(encodeAnything),
    ),
  );
  const valid = fc
    .oneof({ weight: 6, arbitrary: fc.constant(needed) }, { weight: 1, arbitrary: fc.subarray(needed) })
    .map((names) => names.map((each) => [each, encodeAnything(validValues(each)[0] ?? '')] as const));
  const some = fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, fc.array(odd, { maxLength: 4 }));
  return fc
    .tuple(valid, some, fc.constantFrom('', '', '', '&', '&&=', '?', '%', '&%zz=%'))
    .map(([usual, more, tail]) => {
      const text = [...usual, ...more].map(([key, value]) => `${key}=${value}`).join('&') + tail;
      return text === '' ? '' : `?${text}`;
    });
}

const KEYS = [
  'osapi_demo_write',
  'osapi_demo_write',
  'osapi_demo_write',
  'osapi_demo_read',
  'osapi_demo_connection',
  'osapi_demo_other',
  'osapi_demo_no_api',
  'osapi_demo_no_webhooks',
  'osapi_demo_revoked',
];
const authorization = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...KEYS).map((key) => `Bearer ${key}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'Bearer',
      'Bearer ',
      'Basic eA==',
      `Bearer ${'x'.repeat(4_000)}`,
      'Bearer é',
      'a, b',
      '\t',
    ),
  },
);
const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ['accept', 'text/html'],
  ['accept-encoding', 'br, *;q=0'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-for', '127.0.0.1, \u00e9'],
  ['forwarded', 'for="[::1]";host=evil.example.com'],
  // A demo or mock on a loopback address refuses other names.
  ['host', 'evil.localhost'],
  ['if-none-match', '*'],
  ['if-modified-since', 'Sat, 29 Feb 3000 00:00:00 GMT'],
  ['range', 'bytes=0-1'],
  ['cookie', 'a=b; __proto__=x'],
  ['te', 'trailers'],
  ['expect', '100-continue'],
  ['expect', 'something'],
  ['upgrade', 'websocket'],
  ['x-long', 'x'.repeat(8_000)],
];
const CONTENT_TYPES = [
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json; charset=nonsense',
  'application/json; charset="',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  '/',
  'é',
];
const ENCODINGS = ['identity', 'gzip', 'deflate', 'br', 'zstd', 'nonsense', 'gzip, gzip'];

const validBody = fc.record(
  {
    url: fc.constantFrom(
      'https://hooks.example.com/a',
      'https://93.184.215.14/',
      'https://10.0.0.1/',
      'http://x.example.com',
    ),
    description: fc.oneof(fc.constant('x'), nastyText),
    enabledEvents: fc.constantFrom([], ['sync.failed'], ['test.ping'], ['sync.failed', 'sync.failed']),
    isActive: fc.constantFrom(true, false),
  },
  { requiredKeys: [] },
);
const oddBody = fc.dictionary(
  fc.oneof(fc.constantFrom('url', 'description', 'enabledEvents', 'isActive', '__proto__', 'toJSON'), nastyText),
  fc.oneof(fc.jsonValue({ maxDepth: 3 }), nastyText),
  { maxKeys: 6 },
);
const rawBody = fc.constantFrom(
  '',
  '{',
  'null',
  '"text"',
  '0',
  '-',
  '[]',
  '{}{}',
  '\ufeff{}',
  '{"url":"https://hooks.example.com/\\ud800"}',
  '{"description":"\\u0000"}',
  '{"description":"\\ud800"}',
  '{"__proto__":{"url":"https://hooks.example.com/"}}',
  '{"constructor":{"prototype":{"isActive":true}}}',
  '{"url":1e999,"description":-0,"isActive":1}',
  '{"url":"https://hooks.example.com/","url":"http://10.0.0.1/"}',
  '['.repeat(20_000),
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  `{"enabledEvents":${'['.repeat(3_000)}${']'.repeat(3_000)}}`,
  `{"enabledEvents":[${'"sync.failed",'.repeat(4_000)}"sync.failed"]}`,
  `{"description":"${'x'.repeat(100_000)}"}`,
);
const body = fc.oneof(
  validBody.map((value) => Buffer.from(JSON.stringify(value))),
  oddBody.map((value) => Buffer.from(JSON.stringify(value))),
  rawBody.map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(gzipSync('{}'), gzipSync('x'.repeat(5_000_000)), Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])),
);

const headersOf = (hasBody: boolean) =>
  fc
    .record({
      authorization: fc.option(authorization, { freq: 12, nil: undefined }),
      odd: fc.option(fc.constantFrom(...ODD_HEADERS), { freq: 2, nil: undefined }),
      contentType: fc.option(fc.constantFrom(...CONTENT_TYPES), { freq: hasBody ? 9 : 2, nil: undefined }),
      encoding: fc.option(fc.constantFrom(...ENCODINGS), { freq: 1, nil: undefined }),
      isEncoded: fc.integer({ min: 0, max: 9 }),
    })
    .map(({ authorization: key, odd, contentType, encoding, isEncoded }) => ({
      ...(key !== undefined && { authorization: key }),
      ...(odd && { [odd[0]]: odd[1] }),
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(encoding !== undefined && isEncoded === 0 && { 'content-encoding': encoding }),
    }));

/** Requests to one operation, sometimes with another method. */
export function requestsTo(id: OperationId): fc.Arbitrary<FuzzRequest> {
  const operation = operationById(id);
  const otherMethods = ['HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
  return fc
    .record({
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant<string>(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom(...otherMethods) },
      ),
      path: pathOf(operation),
      query: queryOf(operation),
      headers: headersOf(operation.hasBody),
      body: fc.option(body, { freq: operation.hasBody ? 12 : 1, nil: undefined }),
    })
    .map(({ path, query, body: bytes, ...rest }) => ({
      ...rest,
      target: path + query,
      ...(bytes !== undefined && { body: bytes }),
    }));
}
