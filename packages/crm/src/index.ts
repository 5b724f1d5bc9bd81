export type {
  CrmAccess,
  CrmAccessInfo,
  CrmBatch,
  CrmConnector,
  CrmError,
  CrmFailed,
  CrmListPage,
  CrmOutcome,
  CrmQuota,
  CrmRecord,
  CrmRecords,
  CrmSourceConfig,
  CrmUse,
  CrmWrite,
} from './types.ts';

export {
  createCrmOauth,
  type CrmOauth,
  type OauthClient,
  type OauthTokens,
  TOKEN_TIMEOUT_MS,
  type TokenOutcome,
} from './oauth/oauth.ts';

export { createCrmConnectors, CRM_REGISTRY, type CrmConnectorOptions, type RegisteredCrm } from './registry.ts';
