/**
 * The operations of HubSpot that we use, with the version of each: the only place that names a path or a version.
 *
 * HubSpot publishes them in `HubSpot/HubSpot-public-api-spec-collection` on GitHub (read in its state of 21 August 2026,
 * folders `2026-09`). Numbered versions end: `/oauth/v1` on 16 February 2027, `/crm/v4` on 30 March 2027, and `v1` to `v3`
 * in September 2027.
 */
const VERSION = '2026-09';

const OBJECTS = `/crm/objects/${VERSION}`;
const PROPERTIES = `/crm/properties/${VERSION}`;
const LISTS = `/crm/lists/${VERSION}`;
const TOKEN = `/oauth/${VERSION}/token`;

export const HUBSPOT_PATHS = {
  readRecords: (objectType: string) => `${OBJECTS}/${objectType}/batch/read`,
  upsertRecords: (objectType: string) => `${OBJECTS}/${objectType}/batch/upsert`,
  createRecords: (objectType: string) => `${OBJECTS}/${objectType}/batch/create`,
  updateRecords: (objectType: string) => `${OBJECTS}/${objectType}/batch/update`,
  archiveRecords: (objectType: string) => `${OBJECTS}/${objectType}/batch/archive`,
  searchRecords: (objectType: string) => `${OBJECTS}/${objectType}/search`,
  associateRecords: (from: string, to: string) => `/crm/associations/${VERSION}/${from}/${to}/batch/associate/default`,
  pipelines: (objectType: string) => `/crm/pipelines/${VERSION}/${objectType}`,
  readAssociations: (from: string, to: string) => `/crm/associations/${VERSION}/${from}/${to}/batch/read`,
  property: (objectType: string, name: string) => `${PROPERTIES}/${objectType}/${name}`,
  properties: (objectType: string) => `${PROPERTIES}/${objectType}`,
  createProperties: (objectType: string) => `${PROPERTIES}/${objectType}/batch/create`,
  propertyGroups: (objectType: string) => `${PROPERTIES}/${objectType}/groups`,
  lists: LISTS,
  list: (listId: string) => `${LISTS}/${listId}`,
  listMembers: (listId: string) => `${LISTS}/${listId}/memberships`,
  addListMembers: (listId: string) => `${LISTS}/${listId}/memberships/add`,
  owners: `/crm/owners/${VERSION}`,
  account: `/account-info/${VERSION}/details`,
  token: TOKEN,
  revokeToken: `${TOKEN}/revoke`,
  introspectToken: `${TOKEN}/introspect`,
  /** In no published description, and without a dated counterpart: the only endpoint that names a private token's scopes. */
  privateToken: '/oauth/v2/private-apps/get/access-token-info',
} as const;
