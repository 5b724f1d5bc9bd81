/**
 * What a later release might answer: fields that are not in the contract in every object, and unknown values where a
 * vocabulary is open. Whoever ignores unknown fields and lets unknown values pass reads it like today's.
 */
import { COMPONENT_STATUSES, EVENT_TYPES } from '@svc/contract/vocabulary';

const LATER_EVENT_TYPE = 'VOICE_NOTE_SENT';
const LATER_PLATFORM = 'quickmail';

/** Properties whose vocabulary is open, and a value that it does not have today. */
const LATER_VALUES: Readonly<Record<string, string>> = {
  crm: 'DYNAMICS',
  platform: LATER_PLATFORM,
  lastPlatform: LATER_PLATFORM,
  sourcePlatform: LATER_PLATFORM,
  eventType: LATER_EVENT_TYPE,
  lastEventType: LATER_EVENT_TYPE,
  code: 'crm_quota_exceeded',
};
/** Lists of such values. */
const LATER_ITEMS: Readonly<Record<string, string>> = {
  platforms: LATER_PLATFORM,
  eventTypes: LATER_EVENT_TYPE,
  reasons: 'complained',
};
/** Of the states that a part of an account can be in, those that nothing else has: a sync ends in `error` too. */
const PART_STATUSES: readonly unknown[] = COMPONENT_STATUSES.filter((status) => status !== 'error');

/** Every which object shows later values, beginning with the first. */
const PERIOD = 3;

/** A copy of an answer's JSON with fields and values of a later release. */
export function toFuture(json: unknown): unknown {
  let count = 0;
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    if (typeof value !== 'object' || value === null) return value;
    const isLater = count % PERIOD === 0;
    count += 1;
    const known = Object.entries(value).map(([name, item]) => [
      name,
      isLater ? laterOf(name, convert(item)) : convert(item),
    ]);
    return { ...Object.fromEntries(known), addedLater: { since: 'v1.9', notes: ['ignore what you do not know'] } };
  };
  return convert(json);
}

function laterOf(name: string, value: unknown): unknown {
  const item = LATER_ITEMS[name];
  if (item !== undefined && Array.isArray(value) && typeof value[0] === 'string') return [...value, item];
  if (typeof value !== 'string') return value;
  if (name === 'status' && PART_STATUSES.includes(value)) return 'degraded';
  if (name === 'type' && EVENT_TYPES.some((type) => type === value)) return 'connection.disconnected';
  return LATER_VALUES[name] ?? value;
}
