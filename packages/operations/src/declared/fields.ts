/** The field types shared by the inputs of operations. Their messages say what to give instead. */
import { LIMITS } from '@svc/contract/limits';
import { PLATFORMS } from '@svc/contract/vocabulary';
import * as z from 'zod';
import { flagged } from './declare.ts';

export const id = z
  .int('must be an id from the list commands')
  .min(1, 'must be an id from the list commands')
  .max(LIMITS.integerIdMax, 'is too large to be an id')
  .meta({ isId: true });

/** Text that databases can store: without NUL and unpaired surrogates. */
export function text(maxLength: number) {
  return z
    .string('must be text')
    .max(maxLength, `must be at most ${maxLength} characters long`)
    .refine((value) => !value.includes('\0') && value.isWellFormed(), 'must not contain NUL or unpaired surrogates');
}

/** One non-empty line; surrounding space is trimmed. */
export function name(maxLength: number) {
  return text(maxLength)
    .transform((value) => value.trim())
    .refine((value) => value !== '', 'must not be empty')
    .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters');
}

export const domain = name(253).refine(
  (value) => /^[a-z0-9.-]+$/i.test(value),
  'must be a domain such as northwind.example.com',
);

export const email = z.email({ error: 'must be an email address such as kim@example.com' }).max(254);

/** A secret, which the audit log omits. It must be one line, because a line break is a copying error. */
export const secret = z
  .string('must be text')
  .transform((value) => value.trim())
  .refine((value) => value !== '', 'must not be empty')
  .refine((value) => /^[\x21-\x7e]{1,8192}$/.test(value), 'must be one line of at most 8192 visible ASCII characters')
  .meta({ audit: 'nothing' });

/** A URL that events are posted to. The audit log keeps only its origin, because its path may be secret. */
export const url = z.string('must be text').meta({ audit: 'origin' });

/** An address or profile URL of a lead. The audit log keeps a hash of it. */
export const personal = z
  .string('must be text')
  .max(2_000, 'must be at most 2000 characters long')
  .meta({ audit: 'hash' });

export const platform = z.enum(PLATFORMS, `must be one of ${PLATFORMS.join(', ')}`);

/** The platform of a source: one of this release, or a name of your own for another one. */
export const sourcePlatform = z
  .string('must be text')
  .regex(/^[a-z][a-z0-9-]{1,39}$/, 'must be 2 to 40 lower-case letters, digits and -, such as smartlead or my-dialer');

/** The one row that a command names by its id. @param noun of the list that shows it */
export function oneOf(what: string, noun = `${what}s`) {
  return id.meta(flagged('<id>', `the ${what}, as ${noun} list shows it`));
}

/** An instant as operators write it, which the operation parses (`work/instants.ts`). */
export function when(flag: string, description: string) {
  return z.string('must be text').meta(flagged(flag, description));
}

export function count(max: number) {
  return z.int('must be a whole number').min(1).max(max);
}

/** Filters a list by account or connection. Default: everything. */
export const listFilter = z.strictObject({
  accountId: id.meta(flagged('--account <id>', 'only of this account')).optional(),
  connectionId: id.meta(flagged('--connection <id>', 'only of this connection')).optional(),
});

/** Parses names separated by commas; the flag is repeatable. */
export function parseNames(text: string, earlier: unknown): string[] {
  return [...(Array.isArray(earlier) ? earlier : []), ...text.split(',').map((name) => name.trim())];
}

/** Adds a value each time the flag is given. */
export function collect(value: unknown, earlier: unknown): unknown[] {
  return [...(Array.isArray(earlier) ? earlier : []), value];
}
