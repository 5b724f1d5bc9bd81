import type { FieldValue } from '@svc/domain/policy/planned-fields';
import { findOption, toPropertyValue } from '../events/field-values.ts';
import { truncateText } from '../events/text-limits.ts';
import type { CrmPropertyType } from '../port/setup.ts';
import type { SalesforceField } from './org.ts';

/** Values of policies in the types of Salesforce's fields. */

/** Types whose texts are cut when they are too long. Half of an address, a number or a link is wrong. */
const CUT = new Set(['string', 'textarea']);

/** Returns a value as a field takes it; null when it does not fit the field. */
export function toFieldValue(value: FieldValue, field: SalesforceField): FieldValue | null {
  const type = toPropertyType(field.type);
  const options = field.isRestricted ? field.options : null;
  const converted = toPropertyValue(value, { type, options });
  if (converted === null) return null;
  if (typeof converted === 'number') return field.type !== 'int' || Number.isInteger(converted) ? converted : null;
  if (typeof converted === 'boolean') return converted;
  if (type === 'date' || type === 'datetime') return String(converted);
  // A picklist that takes other texts, too, has its own ones by value or label.
  const named = (typeof converted === 'string' ? [converted] : converted).map(
    (text) => findOption(field.options, text) ?? text,
  );
  return toText([...new Set(named)].join(';'), field);
}

function toText(value: string, { type, maxLength }: SalesforceField): string | null {
  // Salesforce keeps no spaces around a text.
  const text = value.trim();
  if (text === '') return null;
  if (maxLength === 0 || text.length <= maxLength) return text;
  return CUT.has(type) ? truncateText(text, maxLength) : null;
}

/** Returns whether a record's value is the one that a field should have. */
export function isSameValue(current: unknown, wanted: FieldValue, { type }: SalesforceField): boolean {
  if (current === wanted) return true;
  if (typeof current !== 'string' || typeof wanted !== 'string') return false;
  if (type === 'datetime') return Date.parse(current) === Date.parse(wanted);
  return type === 'multipicklist' && sortedParts(current) === sortedParts(wanted);
}

function sortedParts(value: string): string {
  return value.split(';').toSorted().join(';');
}

export function toPropertyType(type: string): CrmPropertyType {
  switch (type) {
    case 'string':
    case 'textarea':
    case 'phone':
    case 'url':
    case 'email':
    case 'combobox':
    case 'reference':
    case 'encryptedstring':
      return 'text';
    case 'double':
    case 'currency':
    case 'percent':
    case 'int':
    case 'long':
      return 'number';
    case 'boolean':
    case 'date':
    case 'datetime':
      return type;
    case 'picklist':
      return 'option';
    case 'multipicklist':
      return 'options';
    default:
      return 'other';
  }
}
