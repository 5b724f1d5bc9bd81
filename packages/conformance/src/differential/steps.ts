/** The steps that run on both sides: calls, posts of sequencers, passing time, pending work. */
import { type Operation, operations, type OperationId } from '@svc/contract/operations';
import fc from 'fast-check';
import { requestsTo, type FuzzRequest } from '../fuzz/requests.ts';
import { NOW } from '../harness/world.ts';
import type { Draw } from './draw.ts';
import { FAILING_HOSTS } from '../harness/targets/hosts.ts';
import { PAYLOADS } from './payloads.ts';
import { TOKENS } from './random-world.ts';
import type { PairKind } from './id-pairs.ts';

/** A reference to a row by its index, modulo the number of rows when the step runs. */
export interface Reference {
  readonly of: PairKind;
  readonly at: number;
  /** Counts only rows of the key's account, so that the call often succeeds. */
  readonly isOwn: boolean;
}
export type Value = string | Reference;

export interface CallStep {
  readonly kind: 'call';
  readonly operationId: OperationId;
  readonly method: string;
  readonly token: string | null;
  readonly params: readonly Value[];
  readonly query: readonly (readonly [name: string, value: Value])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export type Step =
  | { readonly kind: 'fuzz'; readonly request: FuzzRequest }
  | CallStep
  /** Reads all pages of a list, each side with its own cursors. */
  | { readonly kind: 'walk'; readonly call: CallStep; readonly limit: number }
  /** A sequencer posts to a source. */
  | {
      readonly kind: 'post';
      readonly source: number;
      readonly text: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Advances time and runs due work. */
  | { readonly kind: 'pass'; readonly ms: number }
  /** Advances time without running work. */
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'settle' }
  /** Reads everything. */
  | { readonly kind: 'observe' };

const WRITING = [...Array.from({ length: 6 }, () => 'osapi_demo_write'), 'osapi_demo_empty', 'osapi_demo_other'];
const BY_ID = new Map(operations.map((operation) => [operation.id, operation] as const));
export const LISTS = [
  'listRequests',
  'listSourceRequests',
  'listSyncs',
  'listSourceSyncs',
  'listDeliveries',
  'listDestinationDeliveries',
  'listEvents',
  'listWebhookDeliveries',
] as const satisfies readonly OperationId[];

/** Less than a minute in total, so that they never reach the random time of a first retry. */
const SHORT_MS = [1, 2, 7, 20];
/** Longer than the first wait of a delivery with the largest jitter. */
const LONG_MS = [360_001, 420_000, 960_000, 3_600_000, 3_660_000, 10_800_000, 86_400_000, 90_000_000, 691_200_000];

/** Instants of the world, and others near them. */
const FROMS = ['2026-03-20T08:00:00.123Z', '2026-03-20', '2026-03-29T12:00:00.000Z', '2026-03-28T12:00:00%2B02:00'];
const TOS = ['2026-03-31T11:00:00.000Z', '2026-03-31T12:00:00Z', '2026-04-10', '2026-03-20T10:00:00.123%2B02:00'];
const MONTH = { from: new Date(NOW.getTime() - 31 * 86_400_000).toISOString(), to: NOW.toISOString() };

const WEBHOOK_URLS = [
  'https://hooks.example.com/new',
  'https://hooks.example.com/new?x=\u00e9',
  'https://HOOKS.EXAMPLE.COM:443/..//a',
  'https://user:pass@hooks.example.com/',
  'https://[2606:4700::1111]/',
  'https://93.184.215.14/',
  'https://10.0.0.1/',
  'https://localhost/',
  'https://[::1]/',
  'https://intranet/',
  'https://printer.local/',
  'http://hooks.example.com/',
  'nonsense',
  '',
  ...FAILING_HOSTS.map((host) => `https://${host}/new`),
];

export function randomSteps(draw: Draw, count: number): Step[] {
  const { number, pick } = draw;
  return Array.from({ length: count }, (): Step => {
    const percent = number(100);
    if (percent < 30) return randomFuzz(draw);
    if (percent < 72) return randomCall(draw);
    if (percent < 77) return randomWalk(draw);
    if (percent < 87) return randomPost(draw);
    if (percent < 91) return { kind: 'pass', ms: pick(SHORT_MS) };
    if (percent < 93) return { kind: 'pass', ms: pick(LONG_MS) };
    return { kind: 'settle' };
  });
}

/** Calls every operation three times, in random order. */
export function everyOperation(draw: Draw): Step[] {
  const ids = operations.flatMap(({ id }) => [id, id, id]);
  const shuffled = draw.value(fc.shuffledSubarray(ids, { minLength: ids.length }));
  return shuffled.map((id) => randomCall(draw, id));
}

/**
 * Calls that exceed the rate limits: first from one address, which uses up its windows before any account does, then from many
 * addresses, which use up an account's. Windows end in between and at the end. `X-Forwarded-For` sets the address.
 */
export function rapidSteps(draw: Draw): Step[] {
  const { number, pick } = draw;
  const fromOne = Array.from({ length: 760 }, () =>
    from('192.0.2.1', randomCall(draw, number(8) === 0 ? undefined : 'getContactOutreach')),
  );
  const fromMany = Array.from({ length: 240 }, () => {
    const call = randomCall(draw, pick(['getMe', 'listSources', 'listSyncs']));
    return from(`198.51.100.${number(200)}`, { ...call, token: pick(['osapi_demo_write', 'osapi_demo_read']) });
  });
  const after = Array.from({ length: 20 }, () => from('192.0.2.1', randomCall(draw)));
  const wait = (ms: number): Step => ({ kind: 'wait', ms });
  return [...fromOne, wait(59_999), ...after, wait(1), ...fromMany, wait(60_000), ...after];
}

function from(address: string, call: CallStep): CallStep {
  return { ...call, headers: { ...call.headers, 'X-Forwarded-For': address } };
}

function randomFuzz({ pick, value }: Draw): Step {
  return { kind: 'fuzz', request: value(requestsTo(pick(operations).id).filter(hasPlainTransport)) };
}

/** Excludes requests that each side's transport answers in its own way: non-ASCII targets, expectations, UTF-16. */
function hasPlainTransport({ target, headers }: FuzzRequest): boolean {
  return /^[\x21-\x7e]*$/.test(target) && !('expect' in headers) && !/utf-16/.test(headers['content-type'] ?? '');
}

function randomCall(draw: Draw, id?: OperationId): CallStep {
  const { maybe, number, pick } = draw;
  const operation: Operation = BY_ID.get(id ?? pickOperation(draw)) ?? operations[0];
  const isWrite = operation.scope === 'write';
  const usual = isWrite ? pick(WRITING) : pick(['osapi_demo_write', 'osapi_demo_read', 'osapi_demo_connection']);
  const isList = operation.queryParams.includes('limit');
  return {
    kind: 'call',
    operationId: idOf(operation),
    method: operation.method === 'GET' && maybe(4) ? 'HEAD' : operation.method,
    token: maybe(82) ? usual : pick([...TOKENS, null]),
    params: operation.pathParams.map(({ name, resource }) =>
      maybe(88)
        ? { of: kindOfParam(operation, name, resource), at: number(400), isOwn: maybe(75) }
        : pick(['0', '999999', '01', '1.0', '-1', 'x', '%00', '1e1', '9007199254740991', 'oswhk_none', 'osevt_none']),
    ),
    query: operation.queryParams.flatMap((name) => randomParameter(draw, name, { isList })),
    headers: randomHeaders(draw, operation),
    body: operation.hasBody ? randomBody(draw) : null,
  };
}

/** Picks writes in almost half of the calls. */
function pickOperation(draw: Draw): OperationId {
  const { number, pick } = draw;
  const writes = operations.filter(({ scope }) => scope === 'write');
  return idOf(number(100) < 45 ? pick(writes) : pick(operations));
}

function idOf(operation: Operation): OperationId {
  const found = operations.find(({ id }) => id === operation.id);
  if (found === undefined) throw new Error(`${operation.id} is not an operation`);
  return found.id;
}

const KIND_OF_RESOURCE: Readonly<Record<string, PairKind>> = {
  Source: 'source',
  Sync: 'sync',
  Destination: 'destination',
  Delivery: 'delivery',
  Blocklist: 'blocklist',
  Webhook: 'webhook',
  Event: 'event',
};

function kindOfParam({ path }: Operation, name: string, resource: string): PairKind {
  if (name === 'deliveryId' && path.includes('/webhooks/')) return 'webhookDelivery';
  return KIND_OF_RESOURCE[resource] ?? 'event';
}

function randomParameter(
  draw: Draw,
  name: string,
  { isList }: { readonly isList: boolean },
): (readonly [string, Value])[] {
  const { maybe, number, pick } = draw;
  const some = (percent: number, value: () => Value) => {
    const all: (readonly [string, Value])[] = [];
    if (maybe(percent)) all.push([name, value()]);
    if (all.length > 0 && maybe(3)) all.push([name, value()]);
    return all;
  };
  switch (name) {
    case 'from':
      return some(97, () => (maybe(70) ? MONTH.from : pick([...FROMS, '2026-02-30', ''])));
    case 'to':
      return some(97, () => (maybe(70) ? MONTH.to : pick([...TOS, '2026-03-01', 'now'])));
    case 'limit':
      return some(isList ? 60 : 10, () =>
        pick(['1', '2', '3', '5', '7', '25', '100', '500', '0', '501', '-1', ' 1', '1e1']),
      );
    case 'cursor':
      return some(25, () =>
        maybe(85) ? { of: 'cursor', at: number(1_000), isOwn: false } : pick(['x', '', 'c3luYzox']),
      );
    case 'status':
      return some(35, () =>
        pick(['success', 'error', 'warning', 'PENDING', 'DEAD', 'SUCCEEDED', 'FAILED', 'Error', '']),
      );
    case 'type':
      return some(35, () => pick(['sync.failed', 'sync.recovered', 'test.ping', 'connection.x', '']));
    case 'delivered':
      return some(35, () => pick(['true', 'false', 'TRUE', '1']));
    case 'email':
      return some(75, () =>
        maybe(90)
          ? pick([
              'replied@example.com',
              'REPLIED@example.com',
              'lead@example.org',
              'm%C3%BCller@example.org',
              'paul.marchand@ateliernord.example.org',
            ])
          : pick(['example.com', 'a b@c.de', '']),
      );
    case 'profileUrl':
      return some(45, () =>
        maybe(90)
          ? pick([
              'https://www.linkedin.com/in/lena-ortiz',
              'linkedin.com/in/LENA-ortiz/',
              'x.com/tomasz_zielin,linkedin.com/in/lena-ortiz',
              'https://mobile.twitter.com/tomasz_zielin/status/7',
              'fr.linkedin.com/in/Ines-Marchand/?trk=x',
            ])
          : 'https://example.com/in/x',
      );
    case 'sourceId':
      return some(30, () =>
        maybe(85) ? { of: 'source', at: number(100), isOwn: maybe(75) } : pick(['999', '0', 'x', '']),
      );
    case 'connectionId':
      return some(30, () =>
        maybe(85) ? { of: 'connection', at: number(100), isOwn: maybe(75) } : pick(['999', '0', 'x', '']),
      );
    case 'destinationId':
      return some(30, () =>
        maybe(85) ? { of: 'destination', at: number(100), isOwn: maybe(75) } : pick(['999', '0', 'x', '']),
      );
    default:
      return [];
  }
}

function randomHeaders(draw: Draw, { hasBody }: Operation): Record<string, string> {
  const { number, pick } = draw;
  const headers: Record<string, string> = {};
  if (hasBody) {
    headers['content-type'] = pick([
      ...Array.from({ length: 24 }, () => 'application/json'),
      'APPLICATION/JSON; Charset=UTF-8',
      'text/plain',
      'application/json;charset=latin1',
      '',
    ]);
  }
  if (number(100) < 6) headers['Accept'] = pick(['text/html', 'application/yaml', '*/*;q=0']);
  if (number(100) < 3) headers['If-None-Match'] = '*';
  return headers;
}

function randomBody(draw: Draw): string {
  const { maybe, pick } = draw;
  if (maybe(6)) return pick(['', '{', 'null', '[]', '"x"', '{}{}', '{"url":1}', '\ufeff{}', '{"__proto__":1}']);
  return JSON.stringify({
    ...(maybe(75) && { url: maybe(75) ? WEBHOOK_URLS[0] : pick(WEBHOOK_URLS) }),
    ...(maybe(30) && {
      description: pick<unknown>([
        '',
        'x',
        '\u00e9\u2028',
        'y'.repeat(500),
        'y'.repeat(501),
        '😀'.repeat(250),
        null,
        5,
      ]),
    }),
    ...(maybe(30) && {
      enabledEvents: pick<unknown>([
        [],
        ['sync.failed'],
        ['sync.recovered', 'sync.failed', 'sync.recovered'],
        ['test.ping'],
        ['connection.lost'],
        'sync.failed',
        null,
      ]),
    }),
    ...(maybe(30) && { isActive: pick<unknown>([true, false, true, false, true, null, 'true']) }),
    ...(maybe(10) && { secret: 'oswhsec_mine', id: 'oswhk_mine', unknown: {} }),
  });
}

function randomWalk(draw: Draw): Step {
  const { pick } = draw;
  const call = randomCall(draw, pick(LISTS));
  const query = call.query.filter(([name]) => name !== 'limit' && name !== 'cursor');
  return { kind: 'walk', call: { ...call, method: 'GET', query }, limit: pick([1, 2, 3, 5, 10, 50]) };
}

function randomPost(draw: Draw): Step {
  const { maybe, number, pick } = draw;
  const { text } = pick(pick([...PAYLOADS.values()]));
  return {
    kind: 'post',
    source: number(100),
    text: maybe(80)
      ? text
      : pick(['', '{', 'null', '[]', '5', '\ufeff{}', '{"event_type":"\\ud800\\u0000"}', `[${text},${text}]`]),
    headers: maybe(80)
      ? { 'content-type': 'application/json' }
      : pick<Record<string, string>>([
          {},
          { 'content-type': 'text/plain' },
          { 'content-type': 'application/x-www-form-urlencoded' },
        ]),
  };
}
