import type { FieldValue } from '@svc/domain/policy/planned-fields';
import { toPropertyValue } from '../events/field-values.ts';
import type { CrmOption, CrmPropertyType } from '../port/setup.ts';
import type { FieldOption, PersonField } from './person-fields.ts';

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
export function toCustomValue({ type: fieldType, options }: PersonField, value: FieldValue): CustomValue | null {
  const type = propertyTypeOf(fieldType);
  if (type === 'other') return null;
  const converted = toPropertyValue(value, { type, options: options.map(toOption) });
  switch (typeof converted) {
    case 'string':
      if (type === 'option') return Number(converted);
      return converted.length <= (maxLengthOf(fieldType) ?? Number.POSITIVE_INFINITY) ? converted : null;
    case 'number':
      return converted;
    case 'object':
      // An empty list is refused.
      return converted === null || converted.length === 0 ? null : converted.map(Number).toSorted((a, b) => a - b);
    default:
      return null;
  }
}

/** Returns an option as a policy names it. */
export function toOption({ id, label }: FieldOption): CrmOption {
  return { value: String(id), label };
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
