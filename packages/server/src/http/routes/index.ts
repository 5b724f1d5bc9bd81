import type { OperationId } from '@svc/contract/operations';
import type { RouteEntry } from '../answer.ts';
import { getAccountMetrics, getAccountStatus } from './account.ts';
import { listBlocklists, pauseBlocklist, resyncBlocklist } from './blocklists.ts';
import { listConnections } from './connections.ts';
import { getContactOutreach } from './contacts.ts';
import {
  getDestinationDeliveryMetrics,
  listDeliveries,
  listDestinationDeliveries,
  replayDelivery,
} from './deliveries.ts';
import { getDestination, listDestinations } from './destinations.ts';
import { getOpenapiJson, getOpenapiYaml } from './discovery.ts';
import { getEvent, listEvents } from './events.ts';
import { getHealthLive, getHealthReady } from './health.ts';
import { getMe } from './me.ts';
import { listReplyRelays } from './reply-relays.ts';
import { getRequestMetrics, listRequests, listSourceRequests } from './requests.ts';
import { listSources } from './sources.ts';
import { getSync, getSyncMetrics, listSourceSyncs, listSyncs, retrySync } from './syncs.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  replayWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './webhooks.ts';

/**
 * Handlers by operation. Paths, methods, access rules and success statuses come from the contract, so a new endpoint
 * needs one handler and one entry here. A missing entry does not compile.
 */
export const routes: Readonly<Record<OperationId, RouteEntry>> = {
  getHealthLive,
  getHealthReady,
  getOpenapiJson,
  getOpenapiYaml,
  getMe,
  getAccountStatus,
  listConnections,
  listSources,
  listDestinations,
  getDestination,
  listReplyRelays,
  getContactOutreach,
  listBlocklists,
  listRequests,
  getRequestMetrics,
  listSourceRequests,
  listSyncs,
  getSyncMetrics,
  getSync,
  listSourceSyncs,
  listDestinationDeliveries,
  getDestinationDeliveryMetrics,
  listDeliveries,
  getAccountMetrics,
  retrySync,
  replayDelivery,
  pauseBlocklist,
  resyncBlocklist,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  replayWebhookDelivery,
  listEvents,
  getEvent,
};
