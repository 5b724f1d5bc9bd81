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

/** Returns the sources of a connection, or of the account. */
export function useSourceChoices(connectionId?: number): readonly Choice[] {
  const accountId = useAccountId();
  const { data } = useOperation('sources/list', connectionId === undefined ? { accountId } : { connectionId });
  return (data?.sources ?? []).map(({ id, platform }) => ({ value: id, label: `${id}: ${platform}` }));
}
