import type { CrmFailure } from '../http/http-failure.ts';
import type { EventWrite } from './session.ts';

/** Refusals that say that what is remembered is no longer true: of the record, or of the org's fields. */
const STALE = new Set([
  'ENTITY_IS_DELETED',
  'CANNOT_UPDATE_CONVERTED_LEAD',
  'INVALID_CROSS_REFERENCE_KEY',
  'INVALID_FIELD',
  'INVALID_FIELD_FOR_INSERT_UPDATE',
  'INVALID_TYPE',
]);

/** Returns whether the same write could succeed when everything is read again. */
export function isStale({ error, isRefusal }: CrmFailure): boolean {
  return isRefusal && error.category !== undefined && STALE.has(error.category);
}

/**
 * Returns whether the event should be written again with everything read anew, because an optional part was refused. An event that is repeated
 * has been; then the refusal stands.
 */
export function isStaleOnce(failure: CrmFailure, { write }: EventWrite): boolean {
  return isStale(failure) && !write.isRepeated;
}
