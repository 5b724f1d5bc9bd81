import { BLANK_CONTACT } from './blank-event.ts';
import { splitName, toDomain, toPhone, toProfileUrl } from './field-values.ts';
import { field, type JsonObject, toText } from './json-fields.ts';
import { type NamedValue, toCustomFields } from './lead-fields.ts';
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
export function toColumns(pairs: readonly NamedValue[]): Columns {
  const columns = new Map<string, unknown>();
  for (const [name, value] of pairs) {
    if (name.length > NAME_MAX_LENGTH) continue;
    const bare = toColumnName(name);
    if (!columns.has(bare) && value !== null && value !== '') columns.set(bare, value);
  }
  return columns;
}

function toColumnName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Returns the values of the columns that exist, in the order of the names. */
export function valuesOf(columns: Columns, ...names: readonly string[]): unknown[] {
  return names.map((name) => columns.get(name));
}

/**
 * Reads what columns say about a contact.
 *
 * @param options.wholeName the columns of a full name; only these count as one
 * @param options.custom the fields that users made. Those that give the contact's name, company and so on are not repeated
 */
export function readColumnContact(
  columns: Columns,
  email: string | null,
  { wholeName = [], custom = [] }: { wholeName?: readonly string[]; custom?: readonly NamedValue[] } = {},
): InboundContact {
  const read = new Set<string>();
  const first = <T>(parse: (value: unknown) => T | null, ...names: readonly string[]): T | null => {
    for (const name of names) {
      const value = parse(columns.get(name));
      if (value === null) continue;
      read.add(name);
      return value;
    }
    return null;
  };
  const text = (value: unknown) => toText(value);
  const whole = splitName(first(text, ...wholeName));
  return {
    ...BLANK_CONTACT,
    email,
    profileUrl: first(
      toProfileUrl,
      ...['linkedinurl', 'linkedin', 'linkedinprofile', 'linkedinprofileurl', 'profileurl', 'linkedinpublicurl'],
    ),
    firstName: first(text, 'firstname', 'leadfirstname') ?? whole.firstName,
    lastName: first(text, 'lastname', 'leadlastname') ?? whole.lastName,
    companyName: first(text, 'companyname', 'company', 'leadcompanyname'),
    companyDomain: first(toDomain, 'companydomain', 'companyurl', 'companywebsite', 'website', 'domain'),
    jobTitle: first(text, 'jobtitle', 'title', 'position', 'occupation'),
    phone: first(toPhone, 'phone', 'phonenumber', 'leadphone', 'mobilephone'),
    custom: toCustomFields(custom.filter(([name]) => !read.has(toColumnName(name)))),
  };
}
