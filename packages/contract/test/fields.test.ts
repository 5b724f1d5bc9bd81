import { expect, test } from 'vitest';
import { renderFields } from '../scripts/render-fields.ts';

const CONTRACT = `
components:
  schemas:
    Thing:
      type: object
      properties:
        id: { type: integer }
        parts: { type: array, items: { $ref: "#/components/schemas/PartOfThing" } }
        main: { anyOf: [{ $ref: "#/components/schemas/PartOfThing" }, { type: "null" }] }
        facts: { type: [object, "null"], additionalProperties: true }
    PartOfThing:
      type: object
      properties: { name: { type: string } }
    ThingWithSecret:
      allOf:
        - $ref: "#/components/schemas/PartOfThing"
        - { type: object, properties: { secret: { type: string } } }
    Word: { type: string }
`;

test('renderFields lists paths through references, arrays, null and allOf, and marks open objects', () => {
  const lists = [...renderFields(CONTRACT).matchAll(/export const (\w+) = (\[[^\]]*\])/g)].map(([, name, list]) => [
    name,
    [...(list ?? '').matchAll(/'([^']*)'/g)].map(([, path]) => path),
  ]);
  expect(Object.fromEntries(lists)).toEqual({
    THING_FIELDS: ['id', 'parts', 'parts.name', 'main', 'main.name', 'facts', 'facts.*'],
    PART_OF_THING_FIELDS: ['name'],
    THING_WITH_SECRET_FIELDS: ['name', 'secret'],
  });
});
