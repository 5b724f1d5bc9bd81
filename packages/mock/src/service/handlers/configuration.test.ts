/** Configured resources: sources, destinations, reply relays, block lists, webhooks. */
import { describe, expect, test } from 'vitest';
import { ask, createDemoWorld, DEMO, NOW, read, refusal } from '../../../test/support/demo.ts';

const world = createDemoWorld();
const MAIN = [1, 2, 3];
const idsOf = (
  rows: readonly { readonly id: number; readonly connectionId: number }[],
  connectionIds: readonly number[],
) =>
  rows
    .filter(({ connectionId }) => connectionIds.includes(connectionId))
    .map(({ id }) => id)
    .sort((a, b) => a - b);
const shownIds = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

describe('listSources', () => {
  test('200 with inbound URLs of both forms, bindings and a relay', () => {
    const { sources } = read(world, '/api/v1/sources');
    expect(shownIds(sources)).toEqual(idsOf(DEMO.sources, MAIN));
    expect(sources[0].url).toBe(`http://sync.example.com/webhooks/${DEMO.sources[0]?.path}`);
    expect(sources.some(({ url }: { url: string }) => /\/webhooks\/\d+\/\d+$/.test(url))).toBe(true);
    for (const source of sources) {
      const bound = DEMO.destinations.filter(({ bindings }) => bindings.some(({ sourceId }) => sourceId === source.id));
      expect(source.destinations.map(({ url }: { url: string }) => url)).toEqual(bound.map(({ url }) => url));
      const relay = DEMO.replyRelays.find(({ sourceIds }) => sourceIds.includes(source.id));
      expect(source.replyRelay?.id).toBe(relay?.id);
      expect(source.crm).toBe(DEMO.connections.find(({ id }) => id === source.connectionId)?.crm);
    }
    expect(sources.some((source: { replyRelay: unknown }) => source.replyRelay !== null)).toBe(true);
  });

  test('200 with a connection key: its own sources; in an empty account: none', () => {
    expect(shownIds(read(world, '/api/v1/sources', 'osapi_demo_connection').sources)).toEqual(idsOf(DEMO.sources, [1]));
    expect(read(world, '/api/v1/sources', 'osapi_demo_empty')).toEqual({ sources: [] });
  });
});

describe('listDestinations', () => {
  test('200 with the union of the bindings', () => {
    const { destinations } = read(world, '/api/v1/destinations');
    expect(shownIds(destinations)).toEqual(idsOf(DEMO.destinations, MAIN));
    const twice = DEMO.destinations.find(
      ({ bindings }) => new Set(bindings.map(({ isDelayed }) => isDelayed)).size === 2,
    );
    expect(destinations.find(({ id }: { id: number }) => id === twice?.id)).toMatchObject({ isDelayed: true });
  });
});

describe('getDestination', () => {
  test('200 as in the list', () => {
    const { destinations } = read(world, '/api/v1/destinations');
    for (const destination of destinations) {
      expect(read(world, `/api/v1/destinations/${destination.id}`)).toEqual(destination);
    }
  });

  test("404 for another tenant's, a hidden connection's or an unknown id", () => {
    const strangers = DEMO.destinations.filter(({ connectionId }) => !MAIN.includes(connectionId));
    expect(strangers.length).toBeGreaterThan(1);
    for (const id of [...strangers.map((row) => row.id), 99_999, '01', 'x']) {
      expect(refusal(world, `/api/v1/destinations/${id}`)).toEqual([404, `Destination ${id} not found`]);
    }
  });
});

describe('listReplyRelays', () => {
  test('200 with bound and unbound relays', () => {
    const { replyRelays } = read(world, '/api/v1/destinations/reply-relays');
    expect(shownIds(replyRelays)).toEqual(idsOf(DEMO.replyRelays, MAIN));
    expect(new Set(replyRelays.map(({ sourceIds }: { sourceIds: number[] }) => sourceIds.length > 0)).size).toBe(2);
  });
});

describe('listBlocklists', () => {
  test('200 with all five statuses, or the lists of one connection', () => {
    const { blocklists } = read(world, '/api/v1/blocklists');
    expect(shownIds(blocklists)).toEqual(idsOf(DEMO.blocklists, MAIN));
    expect(new Set(blocklists.map(({ status }: { status: string }) => status)).size).toBe(5);
    const ofTwo = read(world, '/api/v1/blocklists?connectionId=2').blocklists;
    expect(shownIds(ofTwo)).toEqual(idsOf(DEMO.blocklists, [2]));
  });

  test('200 and empty for an inaccessible connection, 400 for a malformed id', () => {
    expect(read(world, '/api/v1/blocklists?connectionId=4')).toEqual({ blocklists: [] });
    expect(read(world, '/api/v1/blocklists?connectionId=2', 'osapi_demo_connection')).toEqual({ blocklists: [] });
    expect(ask(world, '/api/v1/blocklists?connectionId=x').status).toBe(400);
  });
});

describe('listWebhooks', () => {
  test('200 oldest first, without secrets and without deleted ones', () => {
    const webhooks = DEMO.webhooks.map((row, index) => (index === 0 ? { ...row, deletedAt: NOW } : row)).toReversed();
    const shown = read(createDemoWorld({ data: { webhooks } }), '/api/v1/webhooks').webhooks;
    const expected = webhooks.filter(({ accountId, deletedAt }) => accountId === 1 && deletedAt === null);
    expect(shownIds(shown)).toEqual(
      expected
        .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id),
    );
    expect(JSON.stringify(shown)).not.toContain('secret');
  });
});

describe('getWebhook', () => {
  test('200 as in the list', () => {
    const [webhook] = read(world, '/api/v1/webhooks').webhooks;
    expect(read(world, `/api/v1/webhooks/${webhook.id}`)).toEqual(webhook);
  });

  test("404 for a deleted, another account's or an unknown webhook", () => {
    const [own] = DEMO.webhooks.filter(({ accountId }) => accountId === 1);
    const webhooks = DEMO.webhooks.map((row) => (row.id === own?.id ? { ...row, deletedAt: NOW } : row));
    const deleted = createDemoWorld({ data: { webhooks } });
    expect(refusal(deleted, `/api/v1/webhooks/${own?.id}`)).toEqual([404, `Webhook ${own?.id} not found`]);
    expect(ask(deleted, `/api/v1/webhooks/${own?.id}/deliveries`).status).toBe(404);
    const moved = DEMO.webhooks.map((row) => ({ ...row, accountId: 2 }));
    expect(ask(createDemoWorld({ data: { webhooks: moved } }), `/api/v1/webhooks/${own?.id}`).status).toBe(404);
    expect(refusal(world, '/api/v1/webhooks/oswhk_none')).toEqual([404, 'Webhook oswhk_none not found']);
  });
});
