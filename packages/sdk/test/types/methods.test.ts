/** Arguments and results of every method. A method that is missing here or has other types does not compile. */
import { expectTypeOf, test } from 'vitest';
import type * as sdk from '../../src/index.ts';
import type { IsAny, PathsToAny } from './no-any.ts';

type Options = sdk.CallOptions;
type Answer<Body> = sdk.ApiPromise<Body>;

/** Maps names such as `syncs.list` to the types of the methods. */
type Methods = UnionToIntersection<
  {
    [Noun in Resource]: {
      [Verb in keyof sdk.Client[Noun] & string as `${Noun}.${Verb}`]: sdk.Client[Noun][Verb];
    };
  }[Resource]
>;
type Resource = Exclude<keyof sdk.Client, 'raw' | 'close' | symbol>;
type UnionToIntersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? { [Key in keyof All]: All[Key] }
  : never;

interface Expected {
  'me.get': (options?: Options) => Answer<sdk.MeResponse>;
  'account.status': (options?: Options) => Answer<sdk.AccountStatusResponse>;
  'account.metrics': (params: sdk.AccountMetricsParams, options?: Options) => Answer<sdk.AccountMetrics>;
  'connections.list': (options?: Options) => Answer<{ connections: sdk.Connection[] }>;
  'sources.list': (options?: Options) => Answer<{ sources: sdk.Source[] }>;
  'sources.listRequests': (sourceId: number, params: sdk.LogParams, options?: Options) => sdk.List<sdk.RequestReceipt>;
  'sources.listSyncs': (sourceId: number, params: sdk.SourceSyncListParams, options?: Options) => sdk.List<sdk.Sync>;
  'destinations.list': (options?: Options) => Answer<{ destinations: sdk.Destination[] }>;
  'destinations.get': (id: number, options?: Options) => Answer<sdk.Destination>;
  'destinations.listDeliveries': (
    id: number,
    params: sdk.DestinationDeliveryListParams,
    options?: Options,
  ) => sdk.List<sdk.Delivery>;
  'destinations.deliveryMetrics': (
    id: number,
    params: sdk.RangeParams,
    options?: Options,
  ) => Answer<sdk.DeliveryMetrics>;
  'destinations.replayDelivery': (id: number, deliveryId: number, options?: Options) => Answer<sdk.ReplayQueued>;
  'replyRelays.list': (options?: Options) => Answer<{ replyRelays: sdk.ReplyRelay[] }>;
  'contacts.outreach': (params: sdk.OutreachParams, options?: Options) => Answer<sdk.ContactOutreachResponse>;
  'contacts.outreachMany': <Contact extends sdk.OutreachParams>(
    contacts: Iterable<Contact> | AsyncIterable<Contact>,
    options?: Options,
  ) => AsyncGenerator<sdk.OutreachOutcome<Contact>, void, undefined>;
  'blocklists.list': (params?: sdk.BlocklistListParams, options?: Options) => Answer<{ blocklists: sdk.Blocklist[] }>;
  'blocklists.pause': (id: number, options?: Options) => Answer<sdk.BlocklistPaused>;
  'blocklists.resync': (id: number, options?: Options) => Answer<sdk.BlocklistResyncQueued>;
  'blocklists.resyncAndWait': (id: number, options?: sdk.ResyncAndWaitOptions) => Promise<sdk.ResyncResult>;
  'requests.list': (params: sdk.RequestListParams, options?: Options) => sdk.List<sdk.RequestReceipt>;
  'requests.tail': (
    params?: sdk.RequestTailParams,
    options?: Options,
  ) => AsyncGenerator<sdk.RequestReceipt, void, undefined>;
  'requests.metrics': (params: sdk.RequestMetricsParams, options?: Options) => Answer<sdk.RequestMetrics>;
  'syncs.list': (params: sdk.SyncListParams, options?: Options) => sdk.List<sdk.Sync>;
  'syncs.tail': (params?: sdk.SyncTailParams, options?: Options) => AsyncGenerator<sdk.Sync, void, undefined>;
  'deliveries.tail': (
    params?: sdk.DeliveryTailParams,
    options?: Options,
  ) => AsyncGenerator<sdk.Delivery, void, undefined>;
  'events.tail': (
    params?: sdk.EventTailParams,
    options?: Options,
  ) => AsyncGenerator<sdk.PlatformEvent, void, undefined>;
  'syncs.get': (id: number, options?: Options) => Answer<sdk.Sync>;
  'syncs.retry': (id: number, options?: Options) => Answer<sdk.RetryQueued>;
  'syncs.metrics': (params: sdk.SyncMetricsParams, options?: Options) => Answer<sdk.SyncMetrics>;
  'syncs.retryAll': (params: sdk.RetryAllParams, options?: Options) => Promise<sdk.RetryAllSummary>;
  'deliveries.list': (params: sdk.DeliveryListParams, options?: Options) => sdk.List<sdk.Delivery>;
  'webhooks.list': (options?: Options) => Answer<{ webhooks: sdk.WebhookEndpoint[] }>;
  'webhooks.create': (body: sdk.CreateWebhookBody, options?: Options) => Answer<sdk.WebhookEndpointWithSecret>;
  'webhooks.get': (id: string, options?: Options) => Answer<sdk.WebhookEndpoint>;
  'webhooks.update': (id: string, body: sdk.UpdateWebhookBody, options?: Options) => Answer<sdk.WebhookEndpoint>;
  'webhooks.delete': (id: string, options?: Options) => Answer<undefined>;
  'webhooks.rotateSecret': (id: string, options?: Options) => Answer<sdk.WebhookEndpointWithSecret>;
  'webhooks.test': (id: string, options?: Options) => Answer<sdk.TestEventQueued>;
  'webhooks.listDeliveries': (
    id: string,
    params?: sdk.WebhookDeliveryListParams,
    options?: Options,
  ) => sdk.List<sdk.WebhookDelivery>;
  'webhooks.replayDelivery': (id: string, deliveryId: string, options?: Options) => Answer<sdk.WebhookDelivery>;
  'events.list': (params?: sdk.EventListParams, options?: Options) => sdk.List<sdk.PlatformEvent>;
  'events.get': (id: string, options?: Options) => Answer<sdk.PlatformEventWithDeliveries>;
  'discovery.live': (options?: Options) => Answer<sdk.HealthLive>;
  'discovery.ready': (options?: Options) => Answer<sdk.HealthReady>;
  'discovery.openapiJson': (options?: Options) => Answer<sdk.OpenapiDocument>;
  'discovery.openapiYaml': (options?: Options) => Answer<string>;
}

test('every method, and no other', () => {
  expectTypeOf<keyof Methods>().toEqualTypeOf<keyof Expected>();
  expectTypeOf<Methods>().toEqualTypeOf<Expected>();
});

test('no parameter or answer contains any', () => {
  expectTypeOf<PathsToAny<Methods>>().toBeNever();
  expectTypeOf<PathsToAny<sdk.ClientOptions>>().toBeNever();
});

test('the check for any finds one', () => {
  expectTypeOf<PathsToAny<{ a: { b: ReturnType<typeof JSON.parse>[] } }>>().toEqualTypeOf<'.a.b[]'>();
  expectTypeOf<PathsToAny<(x: { y: ReturnType<typeof JSON.parse> }) => void>>().toEqualTypeOf<'(arguments)[].y'>();
  expectTypeOf<PathsToAny<() => Promise<ReturnType<typeof JSON.parse>>>>().toEqualTypeOf<'()'>();
  expectTypeOf<IsAny<unknown>>().toEqualTypeOf<false>();
});
