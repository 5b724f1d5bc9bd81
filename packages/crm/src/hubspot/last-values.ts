import { LAST_VALUES, type LastValueName, type LastValues } from '@svc/domain/policy/last-values';
import type { OwnProperty } from './properties.ts';

/** The last values of a person, as properties of the contact. */

/** The time of the latest opt-out; `svc_unsubscribed_at` is that of the first one, which the state fields keep. */
const OTHERWISE: Partial<Record<string, string>> = { unsubscribedAt: 'svc_last_unsubscribed_at' };

const FORMS = {
  datetime: { type: 'datetime', fieldType: 'date' },
  number: { type: 'number', fieldType: 'number' },
  text: { type: 'string', fieldType: 'text' },
} as const satisfies Record<string, Pick<OwnProperty, 'type' | 'fieldType'>>;

interface LastValueProperty extends OwnProperty {
  name: string;
}

const PROPERTIES: ReadonlyMap<string, LastValueProperty> = new Map(
  Object.entries(LAST_VALUES).map(([key, { label, type }]) => [
    key,
    {
      ...FORMS[type],
      name: OTHERWISE[key] ?? `svc_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
      label: `Sequencer: ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
      description: 'Written by the sequencer sync with every event of this contact.',
      hasUniqueValue: false,
    },
  ]),
);

export const LAST_VALUE_PROPERTIES: readonly LastValueProperty[] = [...PROPERTIES.values()];
const NAMES = new Set(LAST_VALUE_PROPERTIES.map(({ name }) => name));

export function isLastValueProperty(name: string): boolean {
  return NAMES.has(name);
}

/** Returns properties with values as HubSpot takes them. */
export function toLastValues(values: LastValues): (readonly [property: string, value: string])[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const property = PROPERTIES.get(key);
    if (property === undefined) return [];
    return [[property.name, isTime(key) ? new Date(value).toISOString() : String(value)] as const];
  });
}

function isTime(key: string): boolean {
  return LAST_VALUES[key as LastValueName].type === 'datetime';
}
