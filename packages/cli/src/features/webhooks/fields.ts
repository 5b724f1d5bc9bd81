/** The fields of what the webhook commands show, in the order of the contract. */

export const WEBHOOK_FIELDS = [
  'id',
  'url',
  'description',
  'enabledEvents',
  'isActive',
  'autoDisabledAt',
  'createdAt',
  'updatedAt',
] as const;

/** Of a webhook that was just created, or whose secret was just replaced. */
export const WEBHOOK_WITH_SECRET_FIELDS = [...WEBHOOK_FIELDS, 'secret'] as const;

export const WEBHOOK_DELIVERY_FIELDS = [
  'id',
  'endpointId',
  'status',
  'attemptCount',
  'lastAttemptAt',
  'lastHttpStatus',
  'lastError',
  'replayOfDeliveryId',
  'createdAt',
  'updatedAt',
] as const;
