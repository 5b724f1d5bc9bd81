/**
 * The handlers, by operation. Paths, methods, access rules and success statuses are the contract's: adding an endpoint is
 * one entry here and one handler. An operation without an entry answers 404 like any unknown route.
 */
import type { Handlers } from '../call.ts';
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

export const handlers: Handlers = {
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
