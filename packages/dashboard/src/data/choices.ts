/** Options of fields that name a row of the account. */
import { useAccountId } from './account.tsx';
import { useOperation } from './operations.ts';

export interface Choice {
  readonly value: number;
  readonly label: string;
}

/** Returns the connections of the account, by CRM and organization. */
export function useConnectionChoices(): readonly Choice[] {
  const accountId = useAccountId();
  const { data } = useOperation('connections/list', { accountId });
  return (data?.connections ?? []).map(({ id, crm, organizationDomain }) => ({
    value: id,
    label: `${id}: ${crm}, ${organizationDomain}`,
  }));
}

/** More options than these are too many to choose from. */
const SOURCES_MAX = 500;

/** Returns the sources of a connection, or of the account; null when they are too many to choose from. */
export function useSourceChoices(connectionId?: number): readonly Choice[] | null {
  const accountId = useAccountId();
  const owner = connectionId === undefined ? { accountId } : { connectionId };
  const { data } = useOperation('sources/list', { ...owner, limit: SOURCES_MAX });
  if (data !== undefined && data.next !== null) return null;
  return (data?.sources ?? []).map(({ id, platform }) => ({ value: id, label: `${id}: ${platform}` }));
}
