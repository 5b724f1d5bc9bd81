/**
 * The address at which people see a record in their CRM, made of what is stored; null where that does not say it. A link to the wrong place would
 * be worse than none.
 *
 * - HubSpot: `https://app.hubspot.com/contacts/{portal}/record/{type}/{id}`. Portals of other regions have other hosts, such as
 *   `app-eu1.hubspot.com`; only a private token says the region (`pat-eu1-...`).
 * - Salesforce: `{instance}/{id}`, which leads to the record in Lightning and in Classic.
 * - Pipedrive: `https://{company}.pipedrive.com/person/{id}`.
 */
import type { CrmAccess, CrmRecord } from './port/types.ts';

/** What is stored of a connection. */
export interface RecordPlace {
  readonly crm: string;
  readonly organizationId: string;
  readonly organizationDomain: string;
  /** Null without a usable token. */
  readonly access: Omit<CrmAccess, 'quota'> | null;
}

type Named = Pick<CrmRecord, 'recordType' | 'recordId'>;

export function recordUrl(place: RecordPlace, record: Named): string | null {
  switch (place.crm) {
    case 'HUBSPOT':
      return hubspotUrl(place, record);
    case 'SALESFORCE':
      return salesforceUrl(place, record);
    case 'PIPEDRIVE':
      return pipedriveUrl(place, record);
    default:
      return null;
  }
}

const HUBSPOT_TYPES: Readonly<Record<string, string>> = { contacts: '0-1', companies: '0-2' };

function hubspotUrl({ organizationId, access }: RecordPlace, { recordType, recordId }: Named): string | null {
  const type = HUBSPOT_TYPES[recordType];
  const [, region] = (access?.tokenType === 'private' && /^pat-([a-z]{2}\d)-/.exec(access.accessToken)) || [];
  if (type === undefined || region === undefined || !/^\d+$/.test(organizationId) || !/^\d+$/.test(recordId))
    return null;
  const host = region === 'na1' ? 'app.hubspot.com' : `app-${region}.hubspot.com`;
  return `https://${host}/contacts/${organizationId}/record/${type}/${recordId}`;
}

function salesforceUrl({ organizationDomain, access }: RecordPlace, { recordId }: Named): string | null {
  const host = hostBelow('salesforce.com', access?.apiUrl ?? null, organizationDomain);
  // An id of a record has 15 or 18 characters.
  return host === null || !/^[a-zA-Z0-9]{15}(?:[a-zA-Z0-9]{3})?$/.test(recordId) ? null : `https://${host}/${recordId}`;
}

const PIPEDRIVE_TYPES = new Set(['person', 'organization', 'deal']);
/** Hosts of Pipedrive that belong to no company. */
const PIPEDRIVE_SHARED = /^(?:api|app|oauth|www)\./;

function pipedriveUrl({ organizationDomain, access }: RecordPlace, { recordType, recordId }: Named): string | null {
  const host = hostBelow('pipedrive.com', access?.apiUrl ?? null, organizationDomain);
  if (host === null || PIPEDRIVE_SHARED.test(host)) return null;
  return PIPEDRIVE_TYPES.has(recordType) && /^\d+$/.test(recordId) ? `https://${host}/${recordType}/${recordId}` : null;
}

/** Returns the account's own host below a vendor's domain: that of its API, else the domain that the connection was given. */
function hostBelow(vendor: string, apiUrl: string | null, domain: string): string | null {
  const url = apiUrl ?? `https://${domain}`;
  if (!URL.canParse(url)) return null;
  const { protocol, host, hostname } = new URL(url);
  return protocol === 'https:' && host === hostname && host.endsWith(`.${vendor}`) ? host : null;
}
