import type { OperationId } from '@svc/contract/operations';
import type { RouteEntry } from '../http/answer.ts';
import { getAccountStatus } from './account.ts';
import { listConnections } from './connections.ts';
import { getOpenapiJson, getOpenapiYaml } from './discovery.ts';
import { getHealthLive, getHealthReady } from './health.ts';
import { getMe } from './me.ts';
import { listSources } from './sources.ts';
import { getSync, getSyncMetrics, listSourceSyncs, listSyncs } from './syncs.ts';

/**
 * The handlers, by operation. Paths, methods, access rules and success statuses are the contract's: adding an endpoint
 * is one entry here and one handler. An operation without an entry answers 404 like any unknown route.
 */
export const routes: Partial<Record<OperationId, RouteEntry>> = {
  getHealthLive,
  getHealthReady,
  getOpenapiJson,
  getOpenapiYaml,
  getMe,
  getAccountStatus,
  listConnections,
  listSources,
  listSyncs,
  getSyncMetrics,
  getSync,
  listSourceSyncs,
};
