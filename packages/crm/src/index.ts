import type { Crm } from '@svc/contract/vocabulary';
import { createHubspotConnector, type HubspotConnectorOptions } from './hubspot/connector.ts';
import { createSalesforceConnector } from './salesforce/connector.ts';
import type { CrmConnector } from './types.ts';

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

export interface CrmConnectorsOptions extends Omit<HubspotConnectorOptions, 'baseUrl'> {
  /** Base URL of each CRM; default: the vendor's. */
  baseUrls?: Partial<Record<Crm, string>>;
}

/** Returns one connector per CRM type that can be written to. */
export function createCrmConnectors(options: CrmConnectorsOptions): ReadonlyMap<string, CrmConnector> {
  const { baseUrls = {}, ...shared } = options;
  const hubspotUrl = baseUrls.HUBSPOT;
  return new Map<Crm, CrmConnector>([
    ['HUBSPOT', createHubspotConnector({ ...shared, ...(hubspotUrl === undefined ? {} : { baseUrl: hubspotUrl }) })],
    // Each org has an address of its own, which comes with the access.
    ['SALESFORCE', createSalesforceConnector(shared)],
  ]);
}
