export type {
  CrmAccess,
  CrmAccessInfo,
  CrmBatch,
  CrmCall,
  CrmConnector,
  CrmError,
  CrmFailed,
  CrmListPage,
  CrmOutcome,
  CrmOwner,
  CrmOwnerRead,
  CrmQuota,
  CrmQuotaReport,
  CrmRecord,
  CrmRecords,
  CrmUse,
  CrmWrite,
} from './port/types.ts';

export type {
  CrmOption,
  CrmPipeline,
  CrmProperty,
  CrmPropertyType,
  CrmRecordSchema,
  CrmSchema,
  CrmSetup,
  CrmStatement,
  PreparedItem,
  PreparedSetup,
  SelfTestInput,
} from './port/setup.ts';

export { toBusinessDomain } from './events/business-domain.ts';

export { findOption, toPropertyValue } from './events/field-values.ts';

export { type RecordPlace, recordUrl } from './record-url.ts';

export { memoryRecords } from './records/memory-records.ts';

export { isNoMatchingContact, noMatchingContact } from './port/no-matching-contact.ts';

export {
  createCrmOauth,
  type CrmOauth,
  type OauthClient,
  type OauthTokens,
  TOKEN_TIMEOUT_MS,
  type TokenOutcome,
} from './crm-oauth.ts';

export {
  createCrmConnectors,
  createCrmSetups,
  CRM_REGISTRY,
  type CrmConnectorOptions,
  publishedLimits,
  type RegisteredCrm,
  wrongListId,
} from './registry.ts';
