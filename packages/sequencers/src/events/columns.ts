import { BLANK_CONTACT } from './blank-event.ts';
import { splitName, toDomain, toPhone, toProfileUrl } from './field-values.ts';
import { field, firstOf, type JsonObject, toText } from './json-fields.ts';
import type { InboundContact } from './types.ts';

/**
 * Fields whose names users choose and platforms spell differently: `First Name`, `first_name` and `firstName` are one column,
 * because only letters and digits count.
 */
export type Columns = ReadonlyMap<string, unknown>;

/** A lead can have hundreds of columns; the known ones come first. */
const COLUMNS_MAX = 500;
const NAME_MAX_LENGTH = 64;

/** Indexes the keys of objects; an earlier object wins. */
export function readColumns(...objects: readonly JsonObject[]): Columns {
  return toColumns(
    objects.flatMap((object) =>
      Object.keys(object)
        .slice(0, COLUMNS_MAX)
        .map((key) => [key, field(object, key)] as const),
    ),
  );
}

/** Indexes pairs of name and value; an earlier pair wins. */
export function toColumns(pairs: readonly (readonly [name: string, value: unknown])[]): Columns {
  const columns = new Map<string, unknown>();
  for (const [name, value] of pairs) {
    if (name.length > NAME_MAX_LENGTH) continue;
    const bare = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    if (!columns.has(bare) && value !== null && value !== '') columns.set(bare, value);
  }
  return columns;
}

/** Returns the values of the columns that exist, in the order of the names. */
export function valuesOf(columns: Columns, ...names: readonly string[]): unknown[] {
  return names.map((name) => columns.get(name));
}

/** Reads what columns say about a contact. A full name counts only where `wholeName` lists its columns. */
export function readColumnContact(
  columns: Columns,
  email: string | null,
  { wholeName = [] }: { wholeName?: readonly string[] } = {},
): InboundContact {
  const named = (...names: string[]) => valuesOf(columns, ...names);
  const whole = splitName(firstOf(named(...wholeName), toText));
  return {
    ...BLANK_CONTACT,
    email,
    profileUrl: firstOf(
      named('linkedinurl', 'linkedin', 'linkedinprofile', 'linkedinprofileurl', 'profileurl', 'linkedinpublicurl'),
      toProfileUrl,
    ),
    firstName: firstOf(named('firstname', 'leadfirstname'), toText) ?? whole.firstName,
    lastName: firstOf(named('lastname', 'leadlastname'), toText) ?? whole.lastName,
    companyName: firstOf(named('companyname', 'company', 'leadcompanyname'), toText),
    companyDomain: firstOf(named('companydomain', 'companyurl', 'companywebsite', 'website', 'domain'), toDomain),
    jobTitle: firstOf(named('jobtitle', 'title', 'position', 'occupation'), toText),
    phone: firstOf(named('phone', 'phonenumber', 'leadphone', 'mobilephone'), toPhone),
  };
}
