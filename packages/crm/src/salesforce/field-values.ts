import type { FieldValue } from '@svc/domain/policy/planned-fields';
import { truncateText } from '../events/text-limits.ts';
import type { SalesforceField } from './org.ts';

/** Converts values of a policy to the types of Salesforce's fields. */

/** Types whose texts are cut when they are too long. Half of an address, a number or a link is wrong. */
const CUT = new Set(['string', 'textarea']);
const NUMBERS = new Set(['double', 'currency', 'percent', 'long']);

/** Returns a value as a field takes it; null when it does not fit the field's type. */
export function toFieldValue(value: FieldValue, field: SalesforceField): FieldValue | null {
  const { type } = field;
  if (NUMBERS.has(type)) return toNumber(value);
  switch (type) {
    case 'int': {
      const number = toNumber(value);
      return number !== null && Number.isInteger(number) ? number : null;
    }
    case 'boolean':
      return toBoolean(value);
    case 'date':
      return toInstant(value)?.toISOString().slice(0, 10) ?? null;
    case 'datetime':
      return toInstant(value)?.toISOString() ?? null;
    case 'picklist':
      return toOption(String(value), field);
    case 'multipicklist':
      return toOptions(String(value), field);
    default:
      return toText(String(value), field);
  }
}

function toText(value: string, { type, maxLength }: SalesforceField): string | null {
  // Salesforce keeps no spaces around a text.
  const text = value.trim();
  if (text === '') return null;
  if (maxLength === 0 || text.length <= maxLength) return text;
  return CUT.has(type) ? truncateText(text, maxLength) : null;
}

function toNumber(value: FieldValue): number | null {
  if (typeof value === 'boolean') return null;
  const number = typeof value === 'number' ? value : value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

function toBoolean(value: FieldValue): boolean | null {
  if (typeof value === 'boolean') return value;
  const text = String(value).trim().toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : null;
}

/** Reads a day or a time in the form of ISO 8601. */
function toInstant(value: FieldValue): Date | null {
  if (typeof value !== 'string' || !/^\s*\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?\s*$/.test(value))
    return null;
  const text = value.trim().replace(' ', 'T');
  // Without an offset, a time would be in the time zone of this machine.
  const date = new Date(/T[\d:.]+$/.test(text) ? `${text}Z` : text);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Finds an option by its value, else by its label; case does not count. */
function toOption(value: string, field: SalesforceField): string | null {
  const wanted = value.trim().toLowerCase();
  const { options, isRestricted } = field;
  const found =
    options.find((option) => option.value.toLowerCase() === wanted) ??
    options.find((option) => option.label.toLowerCase() === wanted);
  if (found !== undefined) return found.value;
  return isRestricted ? null : toText(value, field);
}

/** A list is separated by semicolons, or by commas when it has none. */
function toOptions(value: string, field: SalesforceField): string | null {
  const parts = value.split(value.includes(';') ? ';' : ',').filter((part) => part.trim() !== '');
  const chosen = parts.map((part) => toOption(part, field));
  if (chosen.length === 0 || chosen.includes(null)) return null;
  return [...new Set(chosen)].join(';');
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
