import type { PropertyProblem } from './answer.ts';
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
  if (type === 'enumeration' && !options.includes(value))
    return {
      name,
      error: 'INVALID_OPTION',
      message: `${value} was not one of the allowed options: [${options.join(', ')}]`,
    };
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
  if (type === 'companies') return ['name', 'domain'].some((name) => values[name]) ? [] : ['name'];
  return values['hs_timestamp'] ? [] : ['hs_timestamp'];
}
