/** The fields of a block list, in the order of the contract. */
export const BLOCKLIST_FIELDS = [
  'id',
  'connectionId',
  'listName',
  'crm',
  'platform',
  'blockType',
  'status',
  'isEnabled',
  'clientId',
  'syncedCount',
  'pendingCount',
  'lastFetchedAt',
  'lastError',
  'lastAttemptedAt',
  'createdAt',
] as const;
