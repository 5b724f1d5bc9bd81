/**
 * Pairs of ids: each id that the server created has one counterpart on the mock, found by their equal positions in two answers.
 * Ids of the world are the same on both sides.
 */
import type { WorldInput } from '@svc/domain/world';
import type { Side } from '../harness/targets/mock-and-server.ts';

export const ID_KINDS = [
  'connection',
  'source',
  'destination',
  'blocklist',
  'request',
  'sync',
  'delivery',
  'webhook',
  'event',
  'webhookDelivery',
] as const;
export type IdKind = (typeof ID_KINDS)[number];
export type PairKind = IdKind | 'secret' | 'cursor';

export interface IdPair {
  readonly server: string;
  readonly mock: string;
}

export interface IdPairs {
  /** Whether the world has this id. */
  isFixed(kind: PairKind, id: string): boolean;
  /** Records a pair. Returns a problem when it contradicts an earlier pair, else null. */
  pair(kind: PairKind, server: string, mock: string): string | null;
  /** Returns a name that is the same for both ids of a pair; undefined for an id without a pair. */
  nameOf(side: Side, kind: PairKind, id: string): string | undefined;
  /** Returns all ids of a kind: those of the world first, then the others in the order of their discovery. */
  all(kind: PairKind): readonly IdPair[];
  /** Like `all`, without the world's ids of other accounts. */
  ofAccount(kind: PairKind, accountId: number): readonly IdPair[];
  /** Returns the webhook or destination of a delivery, by the server's ids. */
  parentOf(kind: PairKind, server: string): string | undefined;
  learnParent(kind: PairKind, server: string, parent: string): void;
}

export function createIdPairs(world: WorldInput): IdPairs {
  const fixed: Partial<Record<PairKind, ReadonlySet<string>>> = {
    connection: idsOf(world.connections),
    source: idsOf(world.sources),
    destination: idsOf(world.destinations),
    blocklist: idsOf(world.blocklists),
    request: idsOf(world.requests),
    sync: idsOf(world.syncs),
    delivery: idsOf(world.deliveries),
    webhook: idsOf(world.webhooks),
    event: idsOf(world.events),
    webhookDelivery: idsOf(world.webhookDeliveries),
    secret: new Set(world.webhooks.map(({ secret }) => secret)),
  };
  const owners = ownersOf(world);
  const parents = new Map<string, string>([
    ...world.deliveries.map(({ id, destinationId }) => [`delivery ${id}`, `${destinationId}`] as const),
    ...world.webhookDeliveries.map(({ id, webhookId }) => [`webhookDelivery ${id}`, webhookId] as const),
  ]);
  const found = new Map<PairKind, IdPair[]>();
  const known: Record<Side, Map<string, string>> = { server: new Map(), mock: new Map() };
  const isFixed = (kind: PairKind, id: string) => fixed[kind]?.has(id) === true;

  function all(kind: PairKind): readonly IdPair[] {
    const ids = kind === 'secret' ? [] : [...(fixed[kind] ?? [])];
    return [...ids.map((id) => ({ server: id, mock: id })), ...(found.get(kind) ?? [])];
  }

  return {
    isFixed,
    pair(kind, server, mock) {
      if (isFixed(kind, server) || isFixed(kind, mock)) {
        return server === mock ? null : `${kind} ${server} on the server, ${mock} on the mock`;
      }
      const [ofServer, ofMock] = [known.server.get(`${kind} ${server}`), known.mock.get(`${kind} ${mock}`)];
      if (ofServer !== undefined || ofMock !== undefined) {
        // Several cursors may have the same position.
        if (ofServer === ofMock || kind === 'cursor') return null;
        return `${kind} ${server} (${ofServer ?? 'new'}) on the server, ${mock} (${ofMock ?? 'new'}) on the mock`;
      }
      const all = found.get(kind) ?? [];
      found.set(kind, [...all, { server, mock }]);
      const name = `${kind}#${all.length + 1}`;
      known.server.set(`${kind} ${server}`, name);
      known.mock.set(`${kind} ${mock}`, name);
      return null;
    },
    nameOf(side, kind, id) {
      return isFixed(kind, id) ? `${kind} ${id}` : known[side].get(`${kind} ${id}`);
    },
    all,
    parentOf: (kind, server) => parents.get(`${kind} ${server}`),
    learnParent: (kind, server, parent) => void parents.set(`${kind} ${server}`, parent),
    ofAccount: (kind, accountId) =>
      all(kind).filter(({ server }) => (owners.get(`${kind} ${server}`) ?? accountId) === accountId),
  };
}

/** Returns the account of each id, by kind and id. */
function ownersOf(world: WorldInput): ReadonlyMap<string, number> {
  const owners = new Map<string, number>();
  const accounts = new Map(world.connections.map(({ id, accountId }) => [id, accountId]));
  const add = (
    kind: IdKind,
    rows: readonly {
      readonly id: number | string;
      readonly accountId?: number;
      readonly connectionId?: number | null;
    }[],
  ) => {
    for (const { id, accountId, connectionId } of rows) {
      const owner = accountId ?? accounts.get(connectionId ?? 0);
      if (owner !== undefined) owners.set(`${kind} ${id}`, owner);
    }
  };
  add('connection', world.connections);
  add('source', world.sources);
  add('destination', world.destinations);
  add('blocklist', world.blocklists);
  add('request', world.requests);
  add('sync', world.syncs);
  add('delivery', world.deliveries);
  add('webhook', world.webhooks);
  add('event', world.events);
  const webhooks = new Map(world.webhooks.map(({ id, accountId }) => [id, accountId]));
  for (const { id, webhookId } of world.webhookDeliveries) {
    owners.set(`webhookDelivery ${id}`, webhooks.get(webhookId) ?? 0);
  }
  return owners;
}

function idsOf(rows: readonly { readonly id: number | string }[]): ReadonlySet<string> {
  return new Set(rows.map(({ id }) => String(id)));
}

/** Finds prefixed ids in a text. */
export const PREFIXED_ID = /\bosw?(?:hk|hd|evt|hsec)_[\w-]+/g;

export function kindOfPrefix(id: string): PairKind {
  if (id.startsWith('oswhk_')) return 'webhook';
  if (id.startsWith('oswhd_')) return 'webhookDelivery';
  return id.startsWith('osevt_') ? 'event' : 'secret';
}
