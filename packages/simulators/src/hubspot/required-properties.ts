import { Refusal } from './answer.ts';
import type { ObjectType } from './catalog.ts';

/**
 * Rules of an account that make properties required, which calls of 2026-09 must keep and those of numbered versions need
 * not. Codes and texts are those of HubSpot's changelog ("CRM API write validation enforcement", 11 August 2026).
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
