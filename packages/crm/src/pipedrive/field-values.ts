import type { FieldValue } from '@svc/domain/policy/planned-fields';
import type { CrmPropertyType } from '../port/setup.ts';
import type { PersonField } from './person-fields.ts';

/** What custom fields of persons hold: texts, numbers, or the ids of options. */

export type CustomValue = string | number | readonly number[];

/** By Pipedrive's type of a field. Fields of other types (money, address, user, ...) are not written. */
const TYPES: Readonly<Record<string, CrmPropertyType>> = {
  varchar: 'text',
  varchar_auto: 'text',
  text: 'text',
  phone: 'text',
  double: 'number',
  date: 'date',
  enum: 'option',
  set: 'options',
};

const TEXT_MAX = 255;
const LONG_TEXT_MAX = 65_000;

export function propertyTypeOf(type: string): CrmPropertyType {
  return TYPES[type] ?? 'other';
}

/** Returns the longest text that a field of this type holds; null for fields without texts. */
export function maxLengthOf(type: string): number | null {
  if (propertyTypeOf(type) !== 'text') return null;
  return type === 'text' ? LONG_TEXT_MAX : TEXT_MAX;
}

/** Returns the value as the field holds it; null when it does not fit. Half of a text could be wrong, so texts are not cut. */
export function toCustomValue({ type, options }: PersonField, value: FieldValue): CustomValue | null {
  switch (propertyTypeOf(type)) {
    case 'text': {
      const text = String(value);
      return text.length <= (maxLengthOf(type) ?? 0) ? text : null;
    }
    case 'number':
      return toNumber(value);
    case 'date':
      return typeof value === 'string' ? toDate(value) : null;
    case 'option':
      return findOption(options, String(value));
    case 'options':
      return findOptions(options, String(value));
    default:
      return null;
  }
}

function toNumber(value: FieldValue): number | null {
  if (typeof value === 'boolean') return null;
  const number = typeof value === 'number' || value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** Returns the day of an ISO date or time, in UTC. */
function toDate(text: string): string | null {
  const time = /^\d{4}-\d\d-\d\d(?:$|[T ])/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 10);
}

function findOption(options: PersonField['options'], given: string): number | null {
  const wanted = given.trim().toLowerCase();
  const found =
    options.find(({ label }) => label.trim().toLowerCase() === wanted) ??
    options.find(({ id }) => String(id) === wanted);
  return found?.id ?? null;
}

/** One option, or several with commas or semicolons between. All of them must exist. */
function findOptions(options: PersonField['options'], given: string): readonly number[] | null {
  const whole = findOption(options, given);
  if (whole !== null) return [whole];
  const ids = given.split(/[,;]/).flatMap((part) => (part.trim() === '' ? [] : [findOption(options, part)]));
  const known = ids.filter((id) => id !== null);
  return known.length === 0 || known.length < ids.length ? null : [...new Set(known)].toSorted((a, b) => a - b);
}

export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Returns whether a field that Pipedrive shows as `shown` has the value. */
export function hasValue(shown: unknown, value: CustomValue): boolean {
  if (Array.isArray(shown) && typeof value === 'object') {
    return JSON.stringify(shown.toSorted((a, b) => Number(a) - Number(b))) === JSON.stringify(value);
  }
  return shown === value;
}
