import { CRM_NAMES, type Crm } from '@svc/contract/vocabulary';
import type { CrmLimits } from '@svc/domain/syncs/crm-quota';
import { createHubspotConnector } from './hubspot/connector.ts';
import { createHubspotSetup } from './hubspot/setup.ts';
import { HUBSPOT_LIMITS } from './hubspot/limits.ts';
import { createPipedriveConnector } from './pipedrive/connector.ts';
import { PIPEDRIVE_LIMITS } from './pipedrive/limits.ts';
import { PIPEDRIVE_USERS } from './pipedrive/settings.ts';
import { createPipedriveSetup } from './pipedrive/setup.ts';
import { createSalesforceConnector } from './salesforce/connector.ts';
import { SALESFORCE_LIMITS } from './salesforce/limits.ts';
import { SALESFORCE_USERS } from './salesforce/owners.ts';
import { createSalesforceSetup } from './salesforce/setup.ts';
import type { CrmSetup } from './port/setup.ts';
import type { CrmConnector, RememberedUsers } from './port/types.ts';

/** The lists of a CRM that can fill block lists. */
export interface ListForm {
  /** What the CRM calls these lists, for documents. */
  kinds: string;
  /** Matches the ids of these lists. */
  id: RegExp;
  /** Says which ids match, for error messages. */
  form: string;
}

const HUBSPOT_LISTS: ListForm = { kinds: 'lists of contacts and companies', id: /^\d{1,20}$/, form: 'a number' };
const SALESFORCE_LISTS: ListForm = {
  kinds: 'campaigns and list views',
  id: /^(?:701|00B)[a-zA-Z0-9]{12}(?:[a-zA-Z0-9]{3})?$/,
  form: 'an id of 15 or 18 characters that begins with 701 (campaign) or 00B (list view)',
};
const PIPEDRIVE_LISTS: ListForm = {
  kinds: 'filters of people and organizations',
  id: /^\d{1,15}$/,
  form: 'the number of a filter',
};

/**
 * The CRMs that this release writes to. Everything that depends on which ones exist follows from this list: the
 * connectors of the server and of its commands, their environment variables (`SVC_<crm>_URL`), and what the checks and
 * the table in the root README say.
 */
export const CRM_REGISTRY: readonly RegisteredCrm[] = [
  {
    crm: 'HUBSPOT',
    name: CRM_NAMES.HUBSPOT,
    apiUrl: 'https://api.hubapi.com',
    limits: HUBSPOT_LIMITS,
    lists: HUBSPOT_LISTS,
    create: createHubspotConnector,
    createSetup: createHubspotSetup,
  },
  // Each org has an address of its own, which comes with the access.
  {
    crm: 'SALESFORCE',
    name: CRM_NAMES.SALESFORCE,
    apiUrl: null,
    limits: SALESFORCE_LIMITS,
    lists: SALESFORCE_LISTS,
    users: SALESFORCE_USERS,
    create: createSalesforceConnector,
    createSetup: createSalesforceSetup,
  },
  {
    crm: 'PIPEDRIVE',
    name: CRM_NAMES.PIPEDRIVE,
    apiUrl: 'https://api.pipedrive.com',
    limits: PIPEDRIVE_LIMITS,
    lists: PIPEDRIVE_LISTS,
    users: PIPEDRIVE_USERS,
    create: createPipedriveConnector,
    createSetup: createPipedriveSetup,
  },
];

export interface RegisteredCrm {
  /** The type of a connection, as the API shows it. */
  crm: Crm | (string & {});
  /** The vendor's name of the CRM. */
  name: string;
  /** The vendor's API for connections without a host of their own, without a trailing slash; null: all have their own. */
  apiUrl: string | null;
  /** What the vendor publishes about its limits; its answers replace them. */
  limits: CrmLimits;
  /** Absent: the ids of its lists have no known form. */
  lists?: ListForm;
  /** Absent: its connector remembers no users between batches. */
  users?: RememberedUsers;
  create: (options: CrmConnectorOptions) => CrmConnector;
  /** Absent: the properties of its records are not known, and none are made. */
  createSetup?: (options: CrmConnectorOptions) => CrmSetup;
}

export interface CrmConnectorOptions {
  fetch: typeof globalThis.fetch;
  /** API of connections without a host of their own. Default: the vendor's. Without a trailing slash. */
  baseUrl?: string;
  /** Timeout of one call in ms. */
  timeoutMs: number;
  /** Aborts running calls when the process stops. */
  signal?: AbortSignal;
  now?: () => Date;
}

export interface CrmConnectorsOptions extends Omit<CrmConnectorOptions, 'baseUrl'> {
  /** API of each CRM; default: the vendor's. */
  baseUrls?: Readonly<Record<string, string | undefined>>;
  /** Default: those of this release. */
  registry?: readonly RegisteredCrm[];
}

/** Returns one connector per CRM type that can be written to. */
export function createCrmConnectors(options: CrmConnectorsOptions): ReadonlyMap<string, CrmConnector> {
  const { baseUrls = {}, registry = CRM_REGISTRY, ...shared } = options;
  return new Map(
    registry.map(({ crm, apiUrl, create }) => {
      const baseUrl = baseUrls[crm] ?? apiUrl;
      return [crm, create({ ...shared, ...(baseUrl === null ? {} : { baseUrl }) })];
    }),
  );
}

/** Returns what operators ask of each CRM type that can be written to, where this release knows it. */
export function createCrmSetups(options: CrmConnectorsOptions): ReadonlyMap<string, CrmSetup> {
  const { baseUrls = {}, registry = CRM_REGISTRY, ...shared } = options;
  return new Map(
    registry.flatMap(({ crm, apiUrl, createSetup }) => {
      const baseUrl = baseUrls[crm] ?? apiUrl;
      return createSetup === undefined
        ? []
        : [[crm, createSetup({ ...shared, ...(baseUrl === null ? {} : { baseUrl }) })]];
    }),
  );
}

/** For CRM types of other releases in the database, which this one does not call. */
const NO_LIMITS: CrmLimits = { window: null, search: null, daily: { limit: Number.MAX_SAFE_INTEGER, unit: 'calls' } };

/** Returns the published limits of a CRM type. @param registry default: the CRMs of this release */
export function publishedLimits(crm: string, registry: readonly RegisteredCrm[] = CRM_REGISTRY): CrmLimits {
  return registry.find((registered) => registered.crm === crm)?.limits ?? NO_LIMITS;
}

/** Returns the form that an id of a list must have, or null when this id has it. */
export function wrongListId(crm: string, listId: string): string | null {
  const lists = CRM_REGISTRY.find((registered) => registered.crm === crm)?.lists;
  return lists === undefined || lists.id.test(listId) ? null : lists.form;
}
