const NAMES: Readonly<Record<string, string>> = {
  HUBSPOT: 'HubSpot',
  SALESFORCE: 'Salesforce',
  PIPEDRIVE: 'Pipedrive',
};

/** Returns the name of a CRM as its maker spells it. */
export function crmName(crm: string): string {
  return NAMES[crm] ?? crm;
}
