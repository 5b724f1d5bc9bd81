/** The log lists and metrics: the 400s and 404s of each parameter. */
import { type NotFoundResource, notFoundMessage } from '@svc/contract/error-messages';
import { type OperationId, operationById } from '@svc/contract/operations';
import { encodeCursor } from '@svc/domain/requests/cursor';
import { expect, test } from 'vitest';
import type { Call, Query } from '../harness/client.ts';
import type { Api } from '../harness/suite.ts';
import { DAY_MS, MONTH, NOW, UNKNOWN_ID } from '../harness/world.ts';

const BAD_INTEGERS = ['', '0', '-1', '+1', '01', '1.5', '1e2', '0x1', 'x', ' 1', '1 ', '9007199254740992', ['1', '1']];

type Refused = readonly [text: string, query: Query];

function refused(name: string, values: readonly (string | readonly string[])[]): Refused[] {
  return values.map((value) => [`${name} ${JSON.stringify(value)}`, { [name]: value }]);
}

const OTHER_CURSORS = {
  request: encodeCursor({ rows: 'request', createdAt: NOW, id: 1 }),
  sync: encodeCursor({ rows: 'sync', createdAt: NOW, id: 1 }),
  delivery: encodeCursor({ rows: 'delivery', createdAt: NOW, id: 1 }),
  event: encodeCursor({ rows: 'event', createdAt: NOW, id: 'osevt_demo0001' }),
};
export type LogRows = 'request' | 'sync' | 'delivery';

/** Proves the 400s of every parameter of the operation. */
export function proveParameterRefusals(
  api: Api,
  operationId: OperationId,
  valid: Call,
  details: { rows?: LogRows; badStatuses?: readonly (string | string[])[] } = {},
): void {
  const { queryParams } = operationById(operationId);
  const cases: Refused[] = [];
  if (queryParams.includes('from')) cases.push(...refusedRanges());
  for (const name of ['sourceId', 'destinationId', 'connectionId']) {
    if (queryParams.includes(name)) cases.push(...refused(name, BAD_INTEGERS));
  }
  if (queryParams.includes('limit')) cases.push(...refused('limit', [...BAD_INTEGERS, '501', '100000']));
  if (details.badStatuses) cases.push(...refused('status', ['', ...details.badStatuses]));
  if (details.rows) cases.push(...refusedCursors(details.rows));
  test.each(cases)('400 for %s', async (_text, query) => {
    const answer = await api.call(operationId, { ...valid, query: { ...valid.query, ...query } });
    expect(answer.json).toEqual({ statusCode: 400, message: expect.any(String), error: 'Bad Request' });
    expect(answer.json.message).toContain(Object.keys(query).find((name) => query[name] !== undefined) ?? 'is missing');
  });

  test('200: unknown parameters are ignored', async () => {
    const answer = await api.read(operationId, valid);
    const query = { ...valid.query, page: 'x', offset: ['1', '2'], Limit: '0', ['__proto__']: 'x', '': 'x' };
    expect(await api.read(operationId, { ...valid, query })).toEqual(answer);
  });
}

function refusedRanges(): Refused[] {
  const ends = ['', 'yesterday', '2026-02-30', '2026-03-01T00:00:00', '1774958400', '2026-03-01T24:00:00Z'];
  return [
    ['a missing from', { from: undefined }],
    ['a missing to', { to: undefined }],
    ...refused('from', [...ends, [MONTH.from, MONTH.from]]),
    ...refused('to', [...ends, [MONTH.to, MONTH.to]]),
    ['from after to', { from: '2026-03-02T00:00:00.001Z', to: '2026-03-02' }],
    ['a millisecond more than 31 days', { from: new Date(NOW.getTime() - 31 * DAY_MS - 1).toISOString() }],
  ];
}

function refusedCursors(rows: LogRows): Refused[] {
  const { [rows]: own, ...others } = OTHER_CURSORS;
  const malformed = ['', 'nonsense', `${own}=`, own.slice(0, -1), `${own}A`, btoa('{}'), '..', 'x'.repeat(10_000)];
  return [
    ...malformed.map((cursor): Refused => [`a malformed cursor ${cursor.slice(0, 40)}`, { cursor }]),
    ...Object.entries(others).map(([name, cursor]): Refused => [`a cursor of another list (${name})`, { cursor }]),
    ['a repeated cursor', { cursor: [own, own] }],
  ];
}

/** Invalid integer ids in a path. */
const BAD_PATH_IDS = [
  ['unknown', UNKNOWN_ID],
  ['zero', '0'],
  ['negative', '-1'],
  ['with a leading zero', '01'],
  ['an exponent', '1e0'],
  ['a fraction', '1.0'],
  ['a word', 'abc'],
  ['white space', ' '],
  ['a quote', "1'"],
  ['an escaped slash', '1/2'],
  ['of another script', '١'],
  ['one more than the largest integer', '9007199254740992'],
  ['beyond all integers', '99999999999999999999'],
] as const;

/** Proves the 404s of an integer id in a path. */
export function provePathIds(
  api: Api,
  operationId: OperationId,
  valid: Call,
  path: { param: string; resource: NotFoundResource },
): void {
  test.each(BAD_PATH_IDS)('404 when the id is %s', async (_name, id) => {
    const answer = await api.call(operationId, { ...valid, params: { ...valid.params, [path.param]: id } });
    expect(answer.json).toEqual({ statusCode: 404, message: notFoundMessage(path.resource, id), error: 'Not Found' });
  });
}

/** Invalid prefixed ids in a path; the first one is well-formed but unknown. */
const BAD_PREFIXED_IDS = [
  ['unknown', (prefix: string) => `${prefix}01jq2x7v9m3t5c8b`],
  ['the prefix alone', (prefix: string) => prefix],
  ['of another kind', () => 'ostst_demo01'],
  ['in capitals', (prefix: string) => `${prefix}demo01`.toUpperCase()],
  ['a number', () => '1'],
  ['too long', (prefix: string) => `${prefix}${'a'.repeat(200)}`],
  ['with a quote', (prefix: string) => `${prefix}demo01'--`],
  ['with an escaped slash', (prefix: string) => `${prefix}demo01/x`],
  ['with a NUL', (prefix: string) => `${prefix}demo01\0`],
  ['with white space', (prefix: string) => ` ${prefix}demo01`],
  ['with a wildcard', (prefix: string) => `${prefix}demo0%`],
] as const;

/** Proves the 404s of a prefixed id in a path. @param valid the call without this id */
export function provePrefixedPathIds(
  api: Api,
  operationId: OperationId,
  valid: Call,
  path: { param: string; resource: NotFoundResource; prefix: string },
): void {
  test.each(BAD_PREFIXED_IDS)('404 when the id is %s', async (_name, toId) => {
    const id = toId(path.prefix);
    const answer = await api.call(operationId, { ...valid, params: { ...valid.params, [path.param]: id } });
    expect(answer.json).toEqual({ statusCode: 404, message: notFoundMessage(path.resource, id), error: 'Not Found' });
  });
}

/** Proves that metrics ignore the parameters of lists. */
export function proveMetricsIgnoreListParameters(api: Api, operationId: OperationId, valid: Call): void {
  test('200: status, cursor and limit are ignored', async () => {
    const counts = await api.read(operationId, valid);
    const query = { ...valid.query, status: ['error', 'x'], cursor: '?', limit: ['0', 'many'] };
    expect(await api.read(operationId, { ...valid, query })).toEqual(counts);
    expect(await api.read(operationId, { ...valid, query: { ...valid.query, status: 'error', limit: 1 } })).toEqual(
      counts,
    );
  });
}
