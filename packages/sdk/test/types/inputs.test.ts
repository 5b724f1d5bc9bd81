/** Arguments that the compiler must accept or refuse. Nothing here is run. */
import { describe, expectTypeOf, test } from 'vitest';
import type * as sdk from '../../src/index.ts';
import type { RequiredKeys } from './no-any.ts';

declare const client: sdk.Client;

/** Options of every list over a range. */
interface OfLogs {
  from: string | Date;
  to?: string | Date | undefined;
  pageSize?: number | undefined;
  resume?: sdk.ResumePoint | null | undefined;
  prefetch?: boolean | undefined;
}
type OfFeeds = Omit<OfLogs, 'from' | 'to'>;
type Status = 'success' | 'warning' | 'error';

/** Flattens an intersection, so that it can be compared with an interface. */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };

describe('parameters', () => {
  test('parameters of lists with a range', () => {
    expectTypeOf<Flat<sdk.LogParams>>().toEqualTypeOf<OfLogs>();
    expectTypeOf<Flat<sdk.RequestListParams>>().toEqualTypeOf<Flat<OfLogs & { sourceId?: number | undefined }>>();
    expectTypeOf<Flat<sdk.SyncListParams>>().toEqualTypeOf<
      Flat<
        OfLogs & {
          status?: Status | undefined;
          sourceId?: number | undefined;
          connectionId?: number | undefined;
        }
      >
    >();
    expectTypeOf<Flat<sdk.SourceSyncListParams>>().toEqualTypeOf<
      Flat<OfLogs & { status?: Status | undefined; connectionId?: number | undefined }>
    >();
    expectTypeOf<Flat<sdk.DeliveryListParams>>().toEqualTypeOf<
      Flat<OfLogs & { status?: 'success' | 'error' | undefined; destinationId?: number | undefined }>
    >();
    expectTypeOf<Flat<sdk.DestinationDeliveryListParams>>().toEqualTypeOf<
      Flat<OfLogs & { status?: 'success' | 'error' | undefined }>
    >();
  });

  test('parameters of lists without a range', () => {
    expectTypeOf<Flat<sdk.CursorParams>>().toEqualTypeOf<OfFeeds>();
    expectTypeOf<Flat<sdk.WebhookDeliveryListParams>>().toEqualTypeOf<
      Flat<OfFeeds & { status?: 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'DEAD' | undefined }>
    >();
    expectTypeOf<Flat<sdk.EventListParams>>().toEqualTypeOf<
      Flat<
        OfFeeds & {
          types?: readonly ('sync.failed' | 'sync.recovered' | 'test.ping')[] | undefined;
          delivered?: boolean | undefined;
        }
      >
    >();
    expectTypeOf<sdk.BlocklistListParams>().toEqualTypeOf<{ connectionId?: number | undefined }>();
  });

  test('parameters of counts', () => {
    type OfCounts = Pick<OfLogs, 'from' | 'to'>;
    expectTypeOf<sdk.RangeParams>().toEqualTypeOf<OfCounts>();
    expectTypeOf<Flat<sdk.RequestMetricsParams>>().toEqualTypeOf<Flat<OfCounts & { sourceId?: number | undefined }>>();
    for (const params of [{} as sdk.SyncMetricsParams, {} as sdk.AccountMetricsParams]) {
      expectTypeOf<Flat<typeof params>>().toEqualTypeOf<
        Flat<OfCounts & { sourceId?: number | undefined; connectionId?: number | undefined }>
      >();
    }
  });

  test('parameters of all other operations', () => {
    expectTypeOf<sdk.OutreachParams>().toEqualTypeOf<{
      email?: string | undefined;
      profileUrls?: readonly string[] | undefined;
    }>();
    expectTypeOf<sdk.CreateWebhookBody>().toEqualTypeOf<{
      url: string;
      description?: string;
      enabledEvents?: ('sync.failed' | 'sync.recovered')[];
    }>();
    expectTypeOf<sdk.UpdateWebhookBody>().toEqualTypeOf<{
      url?: string;
      description?: string;
      enabledEvents?: ('sync.failed' | 'sync.recovered')[];
      isActive?: boolean;
    }>();
    expectTypeOf<RequiredKeys<sdk.RetryAllParams>>().toEqualTypeOf<'from'>();
    expectTypeOf<RequiredKeys<sdk.ClientOptions>>().toBeNever();
    expectTypeOf<RequiredKeys<sdk.ResyncAndWaitOptions>>().toBeNever();
    expectTypeOf<sdk.ResyncAndWaitOptions['onProgress']>().toEqualTypeOf<
      ((blocklist: sdk.Blocklist) => void) | undefined
    >();
  });

  test('options of a call', () => {
    expectTypeOf<sdk.CallOptions>().toEqualTypeOf<{
      apiKey?: string | undefined;
      headers?: Record<string, string> | undefined;
      timeoutMs?: number | undefined;
      maxRetries?: number | undefined;
      signal?: AbortSignal | undefined;
    }>();
  });
});

describe('calls', () => {
  test('that must compile', () => {
    expectTypeOf(() => [
      client.syncs.list({ from: new Date(0) }),
      client.syncs.list({ from: '2026-01-01', to: new Date(), status: 'error', pageSize: 10, resume: null }, {}),
      client.syncs.list({ from: '2026-01-01', resume: client.syncs.list({ from: '2026-01-01' }).cursor }),
      client.events.list(),
      client.events.list({ types: ['sync.failed'] as const }),
      client.blocklists.list(),
      client.blocklists.list(undefined, { apiKey: undefined, signal: new AbortController().signal }),
      client.webhooks.create({ url: 'https://a.example', enabledEvents: ['sync.failed'] }),
      client.contacts.outreach({ profileUrls: ['https://linkedin.com/in/a'] as const }),
      client.raw.GET('/api/v1/syncs', { params: { query: { from: '', to: '', status: 'error' } } }),
      client.raw.GET('/api/v1/me'),
    ]).toBeFunction();
  });

  test('that must not compile', () => {
    expectTypeOf(() => [
      // @ts-expect-error a range has a start
      client.syncs.list(),
      // @ts-expect-error a range has a start
      client.syncs.list({}),
      // @ts-expect-error a range has a start
      client.deliveries.list({ to: new Date() }),
      // @ts-expect-error the API takes no milliseconds
      client.requests.list({ from: 0 }),
      // @ts-expect-error a start must be given
      client.requests.metrics({ from: undefined }),
      // @ts-expect-error not a status of a sync
      client.syncs.list({ from: '', status: 'failed' }),
      // @ts-expect-error deliveries have no warnings
      client.deliveries.list({ from: '', status: 'warning' }),
      // @ts-expect-error the source is the first argument
      client.sources.listSyncs({ from: '' }),
      // @ts-expect-error the source is given already
      client.sources.listSyncs(1, { from: '', sourceId: 1 }),
      // @ts-expect-error no such parameter
      client.syncs.list({ from: '', limit: 10 }),
      // @ts-expect-error ids of syncs are numbers
      client.syncs.get('1'),
      // @ts-expect-error ids of webhooks are strings
      client.webhooks.get(1),
      // @ts-expect-error it needs both ids
      client.destinations.replayDelivery(1),
      // @ts-expect-error a webhook has a URL
      client.webhooks.create({ description: '' }),
      // @ts-expect-error test.ping cannot be subscribed to
      client.webhooks.create({ url: '', enabledEvents: ['test.ping'] }),
      // @ts-expect-error not an event type
      client.events.list({ types: ['connection.lost'] }),
      // @ts-expect-error a contact has no domain
      client.contacts.outreach({ domain: 'example.com' }),
      // @ts-expect-error parameters come before options
      client.blocklists.list({ signal: new AbortController().signal }),
      // @ts-expect-error no such option
      client.me.get({ retries: 1 }),
      // @ts-expect-error a timeout is a number
      client.me.get({ timeoutMs: '1s' }),
      // @ts-expect-error neither wait nor skip
      client.blocklists.resyncAndWait(1, { ifInProgress: 'fail' }),
      // @ts-expect-error a path that is not in the contract
      client.raw.GET('/api/v1/accounts'),
      // @ts-expect-error its range is required
      client.raw.GET('/api/v1/syncs'),
      // @ts-expect-error it is a GET
      client.raw.POST('/api/v1/me'),
    ]).toBeFunction();
  });
});
