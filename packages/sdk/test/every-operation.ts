import type { OperationId } from '@svc/contract/operations';
import type { Client } from '../src/client.ts';

const FROM = '2026-02-01';

/**
 * The method that calls each operation, with arguments for the demo world of 2026-03-31. The methods can be called in this order in
 * one world: the calls that remove something come last.
 */
export const everyOperation: Readonly<Record<OperationId, (client: Client) => PromiseLike<unknown>>> = {
  getHealthLive: (client) => client.discovery.live(),
  getHealthReady: (client) => client.discovery.ready(),
  getOpenapiJson: (client) => client.discovery.openapiJson(),
  getOpenapiYaml: (client) => client.discovery.openapiYaml(),
  getMe: (client) => client.me.get(),
  getAccountStatus: (client) => client.account.status(),
  listConnections: (client) => client.connections.list(),
  listSources: (client) => client.sources.list(),
  listDestinations: (client) => client.destinations.list(),
  listReplyRelays: (client) => client.replyRelays.list(),
  getDestination: (client) => client.destinations.get(1),
  getContactOutreach: (client) => client.contacts.outreach({ email: 'zoe.tanaka@example.org' }),
  listBlocklists: (client) => client.blocklists.list(),
  listRequests: (client) => client.requests.list({ from: FROM }).toArray(),
  getRequestMetrics: (client) => client.requests.metrics({ from: '2026-03-05' }),
  listSourceRequests: (client) => client.sources.listRequests(1, { from: FROM }).toArray(),
  listSyncs: (client) => client.syncs.list({ from: FROM }).toArray(),
  getSyncMetrics: (client) => client.syncs.metrics({ from: '2026-03-05' }),
  getSync: (client) => client.syncs.get(1001),
  listSourceSyncs: (client) => client.sources.listSyncs(1, { from: FROM }).toArray(),
  listDestinationDeliveries: (client) => client.destinations.listDeliveries(1, { from: FROM }).toArray(),
  getDestinationDeliveryMetrics: (client) => client.destinations.deliveryMetrics(1, { from: '2026-03-05' }),
  listDeliveries: (client) => client.deliveries.list({ from: FROM }).toArray(),
  getAccountMetrics: (client) => client.account.metrics({ from: '2026-03-05' }),
  retrySync: (client) => client.syncs.retry(1058),
  replayDelivery: (client) => client.destinations.replayDelivery(1, 3002),
  pauseBlocklist: (client) => client.blocklists.pause(6),
  resyncBlocklist: (client) => client.blocklists.resync(1),
  createWebhook: (client) => client.webhooks.create({ url: 'https://hooks.example.com/new' }),
  listWebhooks: (client) => client.webhooks.list(),
  getWebhook: (client) => client.webhooks.get('oswhk_demo01'),
  updateWebhook: (client) => client.webhooks.update('oswhk_demo01', { description: 'Changed' }),
  rotateWebhookSecret: (client) => client.webhooks.rotateSecret('oswhk_demo01'),
  testWebhook: (client) => client.webhooks.test('oswhk_demo01'),
  listWebhookDeliveries: (client) => client.webhooks.listDeliveries('oswhk_demo01').toArray(),
  replayWebhookDelivery: (client) => client.webhooks.replayDelivery('oswhk_demo04', 'oswhd_demo0001'),
  listEvents: (client) => client.events.list().toArray(),
  getEvent: (client) => client.events.get('osevt_demo0001'),
  deleteWebhook: (client) => client.webhooks.delete('oswhk_demo06'),
};
