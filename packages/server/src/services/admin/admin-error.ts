import { ApiError } from '@svc/domain/errors/errors';

/**
 * Why an administrative call was refused:
 * - `invalid_input`: it can never work as it was made. `not_found`: it names what is not there. `conflict`: what is
 *   there stands in its way. `not_confirmed`: it deletes, and nobody said that it may; the message counts what.
 * - `not_migrated`, `no_database`, `server_unavailable`, `version_mismatch`: it did not get as far as its work.
 * - `unexpected`: a failure of ours; the log has it.
 */
export const ADMIN_ERROR_CODES = [
  'invalid_input',
  'not_found',
  'conflict',
  'not_confirmed',
  'not_migrated',
  'no_database',
  'server_unavailable',
  'version_mismatch',
  'unexpected',
] as const;
export type AdminErrorCode = (typeof ADMIN_ERROR_CODES)[number];

/** A refusal for the operator, word for word: what was wrong and what to do. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
  readonly code: AdminErrorCode;

  constructor(code: AdminErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function invalidInput(message: string): AdminError {
  return new AdminError('invalid_input', message);
}

export function conflict(message: string): AdminError {
  return new AdminError('conflict', message);
}

/** `There is no source 7: svc-server sources list shows those that are there.` */
export function noSuch(noun: string, id: number): AdminError {
  return new AdminError('not_found', `There is no ${noun} ${id}: svc-server ${noun}s list shows those that are there.`);
}

/** The domain's rules speak in the API's errors; here they are refusals like the others. Anything else stays as it is. */
export function toAdminError(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.statusCode === 404) return new AdminError('not_found', error.message);
  return error.statusCode === 409 ? conflict(error.message) : invalidInput(error.message);
}
