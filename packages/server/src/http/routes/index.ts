import type { OperationId } from '@svc/contract/operations';
import type { RouteEntry } from '../answer.ts';
import * as account from './account.ts';
import * as blocklists from './blocklists.ts';
import * as connections from './connections.ts';
import * as contacts from './contacts.ts';
import * as deliveries from './deliveries.ts';
import * as destinations from './destinations.ts';
import * as discovery from './discovery.ts';
import * as events from './events.ts';
import * as health from './health.ts';
import * as me from './me.ts';
import * as replyRelays from './reply-relays.ts';
import * as requests from './requests.ts';
import * as sources from './sources.ts';
import * as syncs from './syncs.ts';
import * as webhooks from './webhooks.ts';

/**
 * Handlers by operation. Paths, methods, access rules and success statuses come from the contract, so a new endpoint is one exported
 * handler in the file of its resource. An operation without a handler does not compile.
 */
export const routes: Readonly<Record<OperationId, RouteEntry>> = {
  ...account,
  ...blocklists,
  ...connections,
  ...contacts,
  ...deliveries,
  ...destinations,
  ...discovery,
  ...events,
  ...health,
  ...me,
  ...replyRelays,
  ...requests,
  ...sources,
  ...syncs,
  ...webhooks,
};
