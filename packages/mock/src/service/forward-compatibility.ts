/**
 * Answers of a hypothetical later release: unknown fields in every object, and unknown values of open vocabularies. A
 * forward-compatible client reads them like today's answers.
 */
import { COMPONENT_STATUSES, EVENT_TYPES } from '@svc/contract/vocabulary';

const UNKNOWN_EVENT_TYPE = 'VOICE_NOTE_SENT';
const UNKNOWN_PLATFORM = 'quickmail';

/** An unknown value for each property with an open vocabulary. */
const UNKNOWN_VALUES: Readonly<Record<string, string>> = {
  crm: 'DYNAMICS',
  platform: UNKNOWN_PLATFORM,
  lastPlatform: UNKNOWN_PLATFORM,
  sourcePlatform: UNKNOWN_PLATFORM,
  eventType: UNKNOWN_EVENT_TYPE,
  lastEventType: UNKNOWN_EVENT_TYPE,
  code: 'crm_quota_exceeded',
};
/** An unknown item for each list with an open vocabulary. */
const UNKNOWN_ITEMS: Readonly<Record<string, string>> = {
  platforms: UNKNOWN_PLATFORM,
  eventTypes: UNKNOWN_EVENT_TYPE,
  reasons: 'complained',
};
/** Component statuses that no other `status` property has; `error` is also a sync's status. */
const COMPONENT_ONLY_STATUSES: readonly unknown[] = COMPONENT_STATUSES.filter((status) => status !== 'error');

/** Every third object gets unknown values, beginning with the first. */
const PERIOD = 3;

/** Returns a copy of an answer's JSON with unknown fields and values. */
export function addUnknownFieldsAndValues(json: unknown): unknown {
  let count = 0;
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    if (typeof value !== 'object' || value === null) return value;
    const getsUnknownValues = count % PERIOD === 0;
    count += 1;
    const known = Object.entries(value).map(([name, item]) => [
      name,
      getsUnknownValues ? withUnknownValue(name, convert(item)) : convert(item),
    ]);
    return { ...Object.fromEntries(known), addedLater: { since: 'v1.9', notes: ['ignore what you do not know'] } };
  };
  return convert(json);
}

function withUnknownValue(name: string, value: unknown): unknown {
  const item = UNKNOWN_ITEMS[name];
  if (item !== undefined && Array.isArray(value) && typeof value[0] === 'string') return [...value, item];
  if (typeof value !== 'string') return value;
  if (name === 'status' && COMPONENT_ONLY_STATUSES.includes(value)) return 'degraded';
  if (name === 'type' && EVENT_TYPES.some((type) => type === value)) return 'connection.disconnected';
  return UNKNOWN_VALUES[name] ?? value;
}
