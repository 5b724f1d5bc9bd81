/** Compares two answers: status, headers and body, byte for byte but for what is named here. */
import type { OperationId } from '@svc/contract/operations';
import type { RawAnswer } from '../fuzz/send.ts';
import { type IdKind, kindOfPrefix, PREFIXED_ID, type Side, type IdPair, type PairKind, type IdPairs } from './id-pairs.ts';

/** What is not compared, and why. Everything else is. */
const NOT_COMPARED = {
  headers: {
    date: "the transport's own",
    connection: "the transport's own",
    'keep-alive': "the transport's own: how long each side keeps a connection",
    'transfer-encoding': "the transport's own",
    'service-request-id': 'made for each answer; that both have one is compared',
    'access-control-allow-origin':
      'pages may call the mock, which holds nothing that is not made up; no part of the API',
    'access-control-expose-headers': 'as above',
  },
  fields: {
    lastAttemptedAt:
      'of a block list between a resync and the work: the mock counts the time of a fetch from its call, the server from its start',
    syncedCount:
      "of a block list after a top-up: the mock's CRM has three contacts more each day, the server's simulator none",
    pendingCount: 'as above',
    lastError: "of an attempt whose connection broke: the words are those of the HTTP client, and a mock's is `fetch`",
    error: 'as above',
  },
} as const;

/** New rows that a top-up finds on the mock. */
const TOP_UP_ENTRIES = 3;

export interface Exchange {
  readonly operationId: OperationId | null;
  /** Ids in the path of the call, by side: messages quote them. */
  readonly quoted: readonly IdPair[];
  readonly hasCursor: boolean;
  readonly method: string;
  /** A resync was called and has not been worked on yet. */
  readonly isFetchOpen: boolean;
  /** World time has come to where lists at rest are topped up. */
  readonly isTopUpDue: boolean;
}

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}

/** @returns every difference; none when they agree. Ids that are new on both sides become twins. */
export function compareAnswers(
  server: RawAnswer,
  mock: RawAnswer,
  pairs: IdPairs,
  exchange: Exchange,
): readonly string[] {
  if (server.status !== mock.status) {
    return [
      `status ${server.status} on the server, ${mock.status} on the mock: ${shorten(server.text)} | ${shorten(mock.text)}`,
    ];
  }
  const comparison = createComparison(pairs, exchange);
  const isJson = server.headers['content-type']?.includes('json') === true && server.text !== '';
  const bodies = isJson ? comparison.json(server.text, mock.text) : sameText('body', server.text, mock.text);
  // The length of what is not compared is not compared either.
  const isLengthOpen = exchange.operationId === 'listBlocklists' && (exchange.isFetchOpen || exchange.isTopUpDue);
  return [...compareHeaders(server, mock, { isLengthOpen }), ...bodies];
}

function compareHeaders(
  server: RawAnswer,
  mock: RawAnswer,
  { isLengthOpen }: { readonly isLengthOpen: boolean },
): string[] {
  const names = new Set([...Object.keys(server.headers), ...Object.keys(mock.headers)]);
  const compared = [...names].filter((name) => !Object.hasOwn(NOT_COMPARED.headers, name));
  const differing = compared.filter((name) => {
    // Ids of another length make bodies of another length; the body itself is compared.
    if (name === 'content-length' && (server.text !== mock.text || isLengthOpen)) return false;
    return server.headers[name] !== mock.headers[name];
  });
  const requestIds = [server, mock].map(({ headers }) => 'service-request-id' in headers);
  return [
    ...differing.map(
      (name) =>
        `header ${name}: ${server.headers[name] ?? 'none'} on the server, ${mock.headers[name] ?? 'none'} on the mock`,
    ),
    ...(requestIds[0] === requestIds[1] ? [] : ['header service-request-id: on one side only']),
  ];
}

function createComparison(pairs: IdPairs, exchange: Exchange) {
  let hasMore = false;
  const ownKind = exchange.operationId === null ? null : (OWN_KIND[exchange.operationId] ?? null);

  function json(server: string, mock: string): string[] {
    const [left, right]: [Json, Json] = [JSON.parse(server), JSON.parse(mock)];
    hasMore = isObject(left) && left['hasMore'] === true;
    const problems = value('', left, right, ownKind);
    // Beside its values a body is its spelling.
    for (const [side, text, parsed] of [
      ['server', server, left],
      ['mock', mock, right],
    ] as const) {
      if (JSON.stringify(parsed) !== text) problems.push(`the ${side} spells its body otherwise: ${shorten(text)}`);
    }
    return problems;
  }

  function value(path: string, left: Json, right: Json, kind: IdKind | null): string[] {
    if (Array.isArray(left) && Array.isArray(right)) return list(path, left, right, kind);
    if (isObject(left) && isObject(right)) return object(path, left, right, kind);
    const idKind = kindOfField(path, kind);
    if (idKind !== null && left !== null && right !== null && typeof left !== 'object' && typeof right !== 'object') {
      const problem = typeof left === typeof right ? pairs.pair(idKind, String(left), String(right)) : 'another type';
      return problem === null ? [] : [`${path}: ${problem}`];
    }
    if (typeof left === 'string' && typeof right === 'string') {
      return BROKEN_CONNECTION.test(left) && BROKEN_CONNECTION.test(right) ? [] : text(path, left, right);
    }
    return left === right ? [] : [`${path}: ${show(left)} on the server, ${show(right)} on the mock`];
  }

  function object(path: string, left: JsonObject, right: JsonObject, kind: IdKind | null): string[] {
    const [names, others] = [Object.keys(left), Object.keys(right)];
    if (names.join() !== others.join()) {
      return [`${path}: fields ${names.join()} on the server, ${others.join()} on the mock`];
    }
    const skipped = skippedFields(left, right);
    return names
      .filter((name) => !skipped.includes(name))
      .flatMap((name) => value(`${path}.${name}`, left[name] ?? null, right[name] ?? null, kind));
  }

  function skippedFields(left: JsonObject, right: JsonObject): string[] {
    if (exchange.operationId !== 'listBlocklists' || !('syncedCount' in left)) return [];
    const skipped = exchange.isFetchOpen ? ['lastAttemptedAt'] : [];
    if (!exchange.isTopUpDue) return skipped;
    const more = sizeOf(right) - sizeOf(left);
    return more > 0 && more % TOP_UP_ENTRIES === 0 ? [...skipped, 'syncedCount', 'pendingCount'] : skipped;
  }

  /** Text, with the ids in it. */
  function text(path: string, left: string, right: string): string[] {
    if (left === right) return [];
    const [ofServer, ofMock] = [split(left), split(right)];
    const quoted = exchange.quoted.some(
      (pair) => left.replaceAll(pair.server, '{}') === right.replaceAll(pair.mock, '{}'),
    );
    if (quoted) return [];
    if (ofServer.rest !== ofMock.rest || ofServer.ids.length !== ofMock.ids.length) {
      return [`${path}: ${show(left)} on the server, ${show(right)} on the mock`];
    }
    return ofServer.ids.flatMap((id, index) => {
      const problem = pairs.pair(kindOfPrefix(id), id, ofMock.ids[index] ?? '');
      return problem === null ? [] : [`${path}: ${problem}`];
    });
  }

  /** Rows that were made at the same instant come in the order of their ids, which is chance: they may be in any. */
  function list(path: string, left: readonly Json[], right: readonly Json[], kind: IdKind | null): string[] {
    if (left.length !== right.length) {
      return [`${path}: ${left.length} on the server, ${right.length} on the mock: ${show(left)} | ${show(right)}`];
    }
    const rowKind = path.endsWith('.deliveries') && kind === 'event' ? 'webhookDelivery' : kind;
    if (rowKind === null || !left.every(isRow) || !right.every(isRow)) {
      return left.flatMap((each, index) => value(`${path}[${index}]`, each, right[index] ?? null, rowKind));
    }
    return rows(path, left, right, rowKind);
  }

  function rows(path: string, left: readonly Row[], right: readonly Row[], kind: IdKind): string[] {
    const problems: string[] = [];
    for (let start = 0; start < left.length; ) {
      const at = left[start]?.createdAt;
      let end = start + 1;
      while (end < left.length && left[end]?.createdAt === at) end += 1;
      const [ofServer, ofMock] = [left.slice(start, end), right.slice(start, end)];
      // What is cut by the end of a page is compared where the whole list is walked through.
      const isCut = path === '.data' && ((start === 0 && exchange.hasCursor) || (end === left.length && hasMore));
      problems.push(...instant(`${path}[${start}..${end - 1}]`, ofServer, ofMock, { kind, isCut }));
      start = end;
    }
    return problems;
  }

  function instant(
    path: string,
    left: readonly Row[],
    right: readonly Row[],
    { kind, isCut }: { readonly kind: IdKind; readonly isCut: boolean },
  ): string[] {
    const areFixed = [...left, ...right].every(({ id }) => pairs.isFixed(kind, String(id)));
    const inOrder = () => left.flatMap((row, index) => value(`${path}+${index}`, row, right[index] ?? null, kind));
    if (areFixed) return inOrder();
    const [ofServer, ofMock] = [named('server', left, kind), named('mock', right, kind)];
    const areTwins = ofServer.every(({ name }, index) => name === ofMock[index]?.name);
    if (!areTwins) return isCut ? [] : inOrder();
    const names = ofServer.map(({ name }) => name);
    return ofServer.flatMap(({ row, name }, index) => {
      // Which of several that look the same is whose twin shows where one of them is met alone.
      const isSure = names.indexOf(name) === names.lastIndexOf(name) && !(isCut && name.includes(UNNAMED));
      return isSure ? value(`${path}~${index}`, row, ofMock[index]?.row ?? null, kind) : [];
    });
  }

  function named(side: Side, all: readonly Row[], kind: IdKind): { name: string; row: Row }[] {
    return all
      .map((row) => ({
        name: String(JSON.stringify(nameless(side, row, '', kind)).replaceAll('\\u0000', '\u0000')),
        row,
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  }

  /** The row with what its ids are called on both sides. */
  function nameless(side: Side, each: Json, path: string, kind: IdKind | null): Json {
    if (Array.isArray(each)) return each.map((item: Json) => nameless(side, item, path, kind));
    if (isObject(each)) {
      return Object.fromEntries(
        Object.entries(each).map(([name, inner]) => [name, nameless(side, inner, `${path}.${name}`, kind)]),
      );
    }
    const idKind = kindOfField(path, kind);
    if (idKind !== null && (typeof each === 'string' || typeof each === 'number'))
      return pairs.nameOf(side, idKind, `${each}`) ?? UNNAMED;
    if (typeof each !== 'string') return each;
    if (BROKEN_CONNECTION.test(each)) return 'broken';
    return each.replaceAll(PREFIXED_ID, (id) => pairs.nameOf(side, kindOfPrefix(id), id) ?? UNNAMED);
  }

  return { json, list };
}

/** Compares the rows of two whole lists, which were read page by page. */
export function compareLists(
  server: readonly unknown[],
  mock: readonly unknown[],
  pairs: IdPairs,
  operationId: OperationId,
): readonly string[] {
  const exchange = { ...WHOLE, operationId };
  return createComparison(pairs, exchange).list(
    `all rows of ${operationId}`,
    server as readonly Json[],
    mock as readonly Json[],
    OWN_KIND[operationId] ?? null,
  );
}

const WHOLE: Exchange = {
  operationId: null,
  quoted: [],
  hasCursor: false,
  method: 'GET',
  isFetchOpen: false,
  isTopUpDue: false,
};

/** What the `id` of an answer, or of the rows in it, is of. Ids of everything else are the world's. */
const OWN_KIND: Partial<Record<OperationId, IdKind>> = {
  listRequests: 'request',
  listSourceRequests: 'request',
  listSyncs: 'sync',
  listSourceSyncs: 'sync',
  getSync: 'sync',
  listDeliveries: 'delivery',
  listDestinationDeliveries: 'delivery',
  listWebhooks: 'webhook',
  createWebhook: 'webhook',
  getWebhook: 'webhook',
  updateWebhook: 'webhook',
  rotateWebhookSecret: 'webhook',
  listWebhookDeliveries: 'webhookDelivery',
  replayWebhookDelivery: 'webhookDelivery',
  listEvents: 'event',
  getEvent: 'event',
};

const FIELD_KINDS: Readonly<Record<string, PairKind>> = {
  payloadId: 'request',
  requestId: 'request',
  syncId: 'sync',
  eventId: 'event',
  endpointId: 'webhook',
  replayOfDeliveryId: 'webhookDelivery',
  secret: 'secret',
  nextCursor: 'cursor',
};

function kindOfField(path: string, kind: IdKind | null): PairKind | null {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return name === 'id' ? kind : (FIELD_KINDS[name] ?? null);
}

/** In the place of an id that was not seen on the other side yet. */
const UNNAMED = '\u0000new';

const BROKEN_CONNECTION = /^(ECONNRESET: socket hang up|UND_ERR_SOCKET: other side closed)$/;
function split(text: string): { readonly rest: string; readonly ids: readonly string[] } {
  return { rest: text.replaceAll(PREFIXED_ID, '{}'), ids: text.match(PREFIXED_ID) ?? [] };
}

interface Row extends JsonObject {
  readonly id: string | number;
  readonly createdAt: string;
}

function isRow(each: Json): each is Row {
  return isObject(each) && typeof each['createdAt'] === 'string' && ['string', 'number'].includes(typeof each['id']);
}

function isObject(each: Json): each is JsonObject {
  return typeof each === 'object' && each !== null && !Array.isArray(each);
}

function sizeOf({ syncedCount, pendingCount }: JsonObject): number {
  return Number(syncedCount) + Number(pendingCount);
}

function sameText(what: string, left: string, right: string): string[] {
  return left === right ? [] : [`${what}: ${shorten(left)} on the server, ${shorten(right)} on the mock`];
}

function show(each: Json): string {
  return shorten(JSON.stringify(each));
}

function shorten(text: string): string {
  return text.length > 700 ? `${text.slice(0, 700)}...` : text;
}
