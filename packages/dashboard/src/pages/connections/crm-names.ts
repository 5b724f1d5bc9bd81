import { CRM_NAMES, type Crm } from '@svc/contract/vocabulary';

/** Returns the name of a CRM as its maker spells it; the type itself for one that this release does not know. */
export function crmName(crm: string): string {
  return CRM_NAMES[crm as Crm] ?? crm;
}
