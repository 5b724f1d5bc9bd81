/** Types of results. Nothing here is run. */
import type { PLATFORMS } from '@svc/contract/vocabulary';
import { describe, expectTypeOf, test } from 'vitest';
import type * as sdk from '../../src/index.ts';
import type { PathsToAny } from './no-any.ts';

declare const client: sdk.Client;
const range = { from: '2026-01-01' };
/** An open enum: the known words, and any other string. */
type OneOf<Word extends string> = Word | (string & {});
type Platform = OneOf<(typeof PLATFORMS)[number]>;

describe('a list', () => {
  test('has rows, pages, arrays and a cursor', () => {
    expectTypeOf(async () => {
      const list = client.syncs.list(range);
      for await (const sync of list) expectTypeOf(sync).toEqualTypeOf<sdk.Sync>();
      for await (const page of list.pages()) {
        expectTypeOf(page).toEqualTypeOf<sdk.Page<sdk.Sync>>();
        expectTypeOf(page.data).toEqualTypeOf<readonly sdk.Sync[]>();
        expectTypeOf(page.hasMore).toEqualTypeOf<boolean>();
        expectTypeOf(page.resume).toEqualTypeOf<sdk.ResumePoint | null>();
      }
      expectTypeOf(await list.toArray({ limit: 1 })).toEqualTypeOf<sdk.Sync[]>();
      expectTypeOf(list.cursor).toEqualTypeOf<sdk.ResumePoint | null>();
      expectTypeOf(await list[Symbol.asyncIterator]().next()).toEqualTypeOf<IteratorResult<sdk.Sync, void>>();
    }).toBeFunction();
  });

  test('cannot be awaited, and a promise cannot be iterated', () => {
    expectTypeOf<sdk.List<sdk.Sync>>().not.toExtend<PromiseLike<unknown>>();
    expectTypeOf<sdk.ApiPromise<sdk.Sync>>().not.toExtend<AsyncIterable<unknown>>();
    // @ts-expect-error a list is not an array
    expectTypeOf(() => client.syncs.list(range).length).toBeFunction();
  });
});

describe('a call', () => {
  test('returns the body, or body, response and request id', () => {
    expectTypeOf(async () => {
      const promise = client.me.get();
      expectTypeOf(promise).toExtend<Promise<sdk.MeResponse>>();
      expectTypeOf(await promise).toEqualTypeOf<sdk.MeResponse>();
      expectTypeOf(await promise.withResponse()).toEqualTypeOf<sdk.WithResponse<sdk.MeResponse>>();
      const { data, response, requestId } = await promise.withResponse();
      expectTypeOf(data.account.id).toEqualTypeOf<number>();
      expectTypeOf(response).toEqualTypeOf<Response>();
      expectTypeOf(requestId).toEqualTypeOf<string | null>();
      expectTypeOf(await client.webhooks.delete('oswhk_1')).toEqualTypeOf<undefined>();
      expectTypeOf(await client.discovery.openapiYaml()).toEqualTypeOf<string>();
    }).toBeFunction();
  });

  test('of the raw client returns data or error', () => {
    expectTypeOf(async () => {
      const { data, error, response } = await client.raw.GET('/api/v1/syncs/{id}', { params: { path: { id: 1 } } });
      expectTypeOf(response).toEqualTypeOf<Response>();
      if (data !== undefined) return expectTypeOf(data).toEqualTypeOf<sdk.Sync>();
      return typeof error === 'string' ? error : expectTypeOf(error.message).toEqualTypeOf<string>();
    }).toBeFunction();
  });
});

describe('rows', () => {
  test('of the logs', () => {
    expectTypeOf<sdk.RequestReceipt>().toEqualTypeOf<{
      id: number;
      sourceId: number | null;
      connectionId: number | null;
      path: string;
      createdAt: string;
    }>();
    expectTypeOf<sdk.Sync['status']>().toEqualTypeOf<'success' | 'warning' | 'error'>();
    expectTypeOf<sdk.Sync['platform']>().toEqualTypeOf<Platform>();
    expectTypeOf<sdk.Sync['error']>().toEqualTypeOf<{ [key: string]: unknown } | null>();
    expectTypeOf<sdk.Sync['payloadId']>().toEqualTypeOf<number | null>();
    expectTypeOf<sdk.Delivery['status']>().toEqualTypeOf<'success' | 'error'>();
    expectTypeOf<sdk.Delivery['httpStatus']>().toEqualTypeOf<number | null>();
    expectTypeOf<sdk.WebhookDelivery['status']>().toEqualTypeOf<'PENDING' | 'SUCCEEDED' | 'FAILED' | 'DEAD'>();
    expectTypeOf<sdk.PlatformEvent['type']>().toEqualTypeOf<OneOf<'sync.failed' | 'sync.recovered' | 'test.ping'>>();
    expectTypeOf<sdk.PlatformEventWithDeliveries['deliveries']>().toEqualTypeOf<sdk.WebhookDelivery[]>();
  });

  test('of the configuration', () => {
    expectTypeOf<sdk.Blocklist['status']>().toEqualTypeOf<
      'CREATED' | 'FETCHING' | 'SYNCING' | 'SYNCED' | 'SYNCING_NEW_CONTACTS'
    >();
    expectTypeOf<sdk.Blocklist['lastError']>().toEqualTypeOf<string | null>();
    expectTypeOf<sdk.Connection['capabilities']>().toEqualTypeOf<{
      sync: boolean;
      destinations: boolean;
      blocklists: boolean;
    }>();
    expectTypeOf<sdk.WebhookEndpointWithSecret['secret']>().toEqualTypeOf<string>();
    expectTypeOf<sdk.WebhookEndpoint>().not.toHaveProperty('secret');
    expectTypeOf<sdk.BlocklistPaused['isEnabled']>().toEqualTypeOf<false>();
    expectTypeOf<sdk.RetryQueued>().toEqualTypeOf<{ queued: true; syncId: number }>();
  });

  test('an open enum lists the known words', () => {
    expectTypeOf((sync: sdk.Sync) =>
      sync.platform === 'smartlead' ? 1 : sync.platform === 'another' ? 2 : 3,
    ).toEqualTypeOf<(sync: sdk.Sync) => 1 | 2 | 3>();
    // @ts-expect-error a closed enum has no other words
    expectTypeOf((sync: sdk.Sync) => sync.status === 'failed').toBeFunction();
  });

  test('no field of any of them is any', () => {
    type Rows = [
      sdk.AccountMetrics,
      sdk.AccountStatusResponse,
      sdk.Blocklist,
      sdk.Connection,
      sdk.ContactOutreachResponse,
      sdk.Delivery,
      sdk.Destination,
      sdk.HealthReady,
      sdk.MeResponse,
      sdk.PlatformEventWithDeliveries,
      sdk.ReplyRelay,
      sdk.RequestReceipt,
      sdk.Source,
      sdk.Sync,
      sdk.WebhookEndpointWithSecret,
    ];
    expectTypeOf<PathsToAny<Rows>>().toBeNever();
  });
});

describe('flows', () => {
  test('return how they ended', () => {
    expectTypeOf<sdk.ResyncResult>().toEqualTypeOf<{
      readonly outcome: 'synced' | 'failed' | 'paused' | 'timeout' | 'in-progress';
      readonly blocklist: sdk.Blocklist | null;
    }>();
    expectTypeOf<sdk.RetryAllSummary['skipped'][number]['reason']>().toEqualTypeOf<
      'recovered' | 'superseded' | 'crm'
    >();
  });
});
