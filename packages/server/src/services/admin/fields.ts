/** The kinds of field that the inputs of administration share. Messages say what to give instead. */
import { LIMITS } from '@svc/contract/limits';
import { PLATFORMS } from '@svc/contract/vocabulary';
import * as z from 'zod';
import { invalidInput } from './admin-error.ts';

export const id = z
  .int('must be the number of a row, as the lists show it')
  .min(1, 'must be the number of a row, as the lists show it')
  .max(LIMITS.integerIdMax, 'is too large to be the number of a row');

/** Neither a NUL nor half a surrogate pair can be stored as text by a database. */
export function text(maxLength: number) {
  return z
    .string('must be text')
    .max(maxLength, `must be at most ${maxLength} characters long`)
    .refine((value) => !value.includes('\0') && value.isWellFormed(), 'must not contain NUL or unpaired surrogates');
}

/** One line that says something. Space around it is an accident of typing. */
export function name(maxLength: number) {
  return text(maxLength)
    .transform((value) => value.trim())
    .refine((value) => value !== '', 'must not be empty')
    .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters');
}

export const email = z.email({ error: 'must be an email address such as kim@example.com' }).max(254);

/** A secret of somebody else's. The audit log leaves it out. One line: a line break within is an accident of copying. */
export const secret = z
  .string('must be text')
  .transform((value) => value.trim())
  .refine((value) => value !== '', 'must not be empty')
  .refine((value) => /^[\x21-\x7e]{1,8192}$/.test(value), 'must be one line of at most 8192 visible ASCII characters');

/** An address that events are posted to. Whoever knows it may post there, so the audit log keeps its origin only. */
export const url = z.string('must be text');

/** A part of a source's legacy URL, as the inbound host takes it. The audit log leaves it out: who knows the URL can post events. */
export const legacyPart = z.string('must be text').regex(/^[\w-]{1,128}$/, 'must be letters, digits, - and _ only');

export const platform = z.enum(PLATFORMS, `must be one of ${PLATFORMS.join(', ')}`);

/** What narrows a list: one account, or one connection. Default: everything. */
export const listFilter = z.strictObject({ accountId: id.optional(), connectionId: id.optional() });

/** @throws AdminError when an update names nothing but the row */
export function assertChange({ id: _id, ...changes }: { id: number; [field: string]: unknown }): void {
  if (Object.values(changes).every((value) => value === undefined)) {
    throw invalidInput('Name at least one thing to change: --help lists them.');
  }
}
