import { type PropertyProblem, Refusal } from './answer.ts';
import type { ObjectType, PropertyDefinition } from './catalog.ts';

/** What HubSpot refuses about the values of a record. */

const TEXT_MAX_LENGTH = 65_536;
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** Returns what HubSpot refuses about one value, or null. */
export function findProblem({ name, type, options }: PropertyDefinition, value: string): PropertyProblem | null {
  if (value.length > TEXT_MAX_LENGTH)
    return {
      name,
      error: 'PROPERTY_VALUE_TOO_LONG',
      message: `Property value is too long: at most ${TEXT_MAX_LENGTH} characters`,
    };
  if (type === 'enumeration' && !value.split(';').every((part) => options.some((option) => option.value === part)))
    return {
      name,
      error: 'INVALID_OPTION',
      message: `${value} was not one of the allowed options: [${options.map((option) => option.value).join(', ')}]`,
    };
  if (type === 'bool' && value !== 'true' && value !== 'false')
    return { name, error: 'INVALID_BOOLEAN', message: `${value} was not a valid boolean.` };
  if (type === 'date' && !/^\d{4}-\d{2}-\d{2}$/.test(value))
    return { name, error: 'INVALID_DATE', message: `${value} was not a valid date.` };
  if (type === 'number' && !/^-?\d+(?:\.\d+)?$/.test(value))
    return { name, error: 'INVALID_INTEGER', message: `${value} was not a valid number.` };
  if (type === 'datetime' && !isInstant(value))
    return { name, error: 'INVALID_LONG', message: `${value} was not a valid long.` };
  if (name === 'email' && !EMAIL.test(value))
    return { name, error: 'INVALID_EMAIL', message: `Email address ${value} is invalid` };
  return null;
}

function isInstant(value: string): boolean {
  return /^-?\d{1,15}$/.test(value) || (/^\d{4}-\d{2}-\d{2}T/.test(value) && !Number.isNaN(Date.parse(value)));
}

/** Returns the properties that a new record must have and these values lack. */
export function missingOnCreate(type: ObjectType, values: Readonly<Record<string, string>>): string[] {
  if (type === 'contacts') return ['email', 'firstname', 'lastname'].some((name) => values[name]) ? [] : ['email'];
  if (type === 'deals') return ['dealname'].filter((name) => !values[name]);
  if (type === 'companies') return ['name', 'domain'].some((name) => values[name]) ? [] : ['name'];
  return values['hs_timestamp'] ? [] : ['hs_timestamp'];
}

/**
 * A rule of an account that makes a property required. Calls of the API version 2026-09 must keep it, calls of numbered versions
 * need not. Codes and texts come from HubSpot's changelog ("CRM API write validation enforcement", 11 August 2026).
 */
export interface RequiredProperty {
  objectType: ObjectType;
  property: string;
  /** The property that must have this value for the rule to apply. Absent: the rule applies to every new record. */
  when?: { property: string; value: string };
}

/** @param before the properties of the record that is updated, null for a new one */
export function assertRequired(
  rules: readonly RequiredProperty[],
  type: ObjectType,
  values: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>> | null,
): void {
  const after = { ...before, ...values };
  const errors = rules.flatMap(({ objectType, property, when }) => {
    const applies = when === undefined ? before === null : after[when.property] === when.value;
    if (objectType !== type || !applies || (after[property] ?? '') !== '') return [];
    const context = { propertyName: [property] };
    return when === undefined
      ? [{ code: 'MISSING_REQUIRED_PROPERTY', message: `A value for ${property} must be provided`, context }]
      : [
          {
            code: 'MISSING_CONDITIONAL_REQUIRED_PROPERTY',
            message: `${property} is required because of a conditional property rule based on [${when.property}]`,
            context,
          },
        ];
  });
  if (errors.length > 0) throw new Refusal(400, 'The property values provided are invalid', { errors });
}
