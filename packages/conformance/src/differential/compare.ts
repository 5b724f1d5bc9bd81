/** Compares two answers: status and body. */
import type { OperationId } from '@svc/contract/operations';
import type { RawAnswer } from '../fuzz/send.ts';
import type { Side } from '../harness/targets/mock-and-server.ts';
import { type IdKind, kindOfPrefix, PREFIXED_ID, type IdPair, type PairKind, type IdPairs } from './id-pairs.ts';

/**
 * Fields that are not compared:
 * - `lastAttemptedAt` of a block list between a resync and its fetch: the mock sets it at the call, the server at the start of
 *   the fetch.
 * - `syncedCount` and `pendingCount` of a block list after a top-up: the mock's CRM has three new contacts each day, the
 *   server's simulator none.
 * - Error texts of a broken connection, which come from different HTTP clients.
 */

/** Number of new contacts per top-up on the mock. */
const TOP_UP_ENTRIES = 3;

export interface Exchange {
  readonly operationId: OperationId | null;
  /** The ids in the call's path and query, which messages quote. */
  readonly quoted: readonly IdPair[];
  readonly hasCursor: boolean;
  /** A resync was called and its fetch has not run yet. */
  readonly isFetchOpen: boolean;
  /** Enough time has passed for a top-up of idle lists. */
  readonly isTopUpDue: boolean;
}

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}

/** Returns all differences. Ids that are new on both sides become pairs. */
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
  const isJson = [server, mock].every(({ headers, text }) => headers['content-type']?.includes('json') && text !== '');
  if (isJson) return createComparison(pairs, exchange).json(server.text, mock.text);
  if (server.text === mock.text) return [];
  return [`body: ${shorten(server.text)} on the server, ${shorten(mock.text)} on the mock`];
}

function createComparison(pairs: IdPairs, exchange: Exchange) {
  let hasMore = false;
  const ownKind = exchange.operationId === null ? null : (OWN_KIND[exchange.operationId] ?? null);

  function json(server: string, mock: string): string[] {
    const [left, right]: [Json, Json] = [JSON.parse(server), JSON.parse(mock)];
    hasMore = isObject(left) && left['hasMore'] === true;
    return value('', left, right, ownKind);
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

  /** Compares text; ids in it may differ if they are a pair. */
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

  /** Compares rows. Rows of the same instant are ordered by their random ids, so they may be in any order. */
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
      // Groups cut by the end of a page are compared when the whole list is read.
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
    const arePaired = ofServer.every(({ name }, index) => name === ofMock[index]?.name);
    if (!arePaired) return isCut ? [] : inOrder();
    const names = ofServer.map(({ name }) => name);
    return ofServer.flatMap(({ row, name }, index) => {
      // Identical rows are ambiguous: pair them only when one appears alone.
      const isSure = names.indexOf(name) === names.lastIndexOf(name) && !(isCut && name.includes(UNNAMED));
      return isSure ? value(`${path}~${index}`, row, ofMock[index]?.row ?? null, kind) : [];
    });
  }

  function named(side: Side, all: readonly Row[], kind: IdKind): { name: string; row: Row }[] {
    return all
      .map((row) => ({
        name: String(JSON.stringify(withoutIds(side, row, '', kind)).replaceAll('\\u0000', '\u0000')),
        row,
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  }

  /** Replaces ids by names that are the same on both sides. */
  function withoutIds(side: Side, each: Json, path: string, kind: IdKind | null): Json {
    if (Array.isArray(each)) return each.map((item: Json) => withoutIds(side, item, path, kind));
    if (isObject(each)) {
      return Object.fromEntries(
        Object.entries(each).map(([name, inner]) => [name, withoutIds(side, inner, `${path}.${name}`, kind)]),
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

/** Compares the rows of two lists that were read page by page. */
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
  isFetchOpen: false,
  isTopUpDue: false,
};

/** The kind of the `id` in an operation's answer or rows. All other ids come from the world. */
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

/** Replaces an id without a pair. */
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

function show(each: Json): string {
  return shorten(JSON.stringify(each));
}

function shorten(text: string): string {
  return text.length > 700 ? `${text.slice(0, 700)}...` : text;
}
