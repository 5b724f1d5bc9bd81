import { ApiError } from '@svc/domain/errors/errors';

/**
 * Why an administrative call was refused:
 * - `invalid_input`: the input is wrong. `not_found`: it names an unknown id. `conflict`: existing data prevents it.
 *   `not_confirmed`: a call that needs confirmation; the message says what it would do, such as what a removal would delete.
 * - `crm_unavailable`: the CRM did not answer, so its token could not be checked.
 * - `not_migrated`, `no_database`, `server_unavailable`, `version_mismatch`: the operation could not start.
 * - `unexpected`: an internal failure; the log has it.
 */
export const ADMIN_ERROR_CODES = [
  'invalid_input',
  'not_found',
  'conflict',
  'not_confirmed',
  'crm_unavailable',
  'not_migrated',
  'no_database',
  'server_unavailable',
  'version_mismatch',
  'unexpected',
] as const;
export type AdminErrorCode = (typeof ADMIN_ERROR_CODES)[number];

/** A refusal shown to the operator: what was wrong and what to do. */
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

/** For example `There is no source 7: svc-server sources list shows the existing ones.` */
export function noSuch(noun: string, id: number): AdminError {
  return new AdminError('not_found', `There is no ${noun} ${id}: svc-server ${noun}s list shows the existing ones.`);
}

/** @throws AdminError when there is no such row */
export function existing<Row>(row: Row | null | undefined, noun: string, id: number): Row {
  if (row === null || row === undefined) throw noSuch(noun, id);
  return row;
}

/** Turns the domain's API errors into refusals; other errors are returned unchanged. */
export function toAdminError(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.statusCode === 404) return new AdminError('not_found', error.message);
  return error.statusCode === 409 ? conflict(error.message) : invalidInput(error.message);
}
