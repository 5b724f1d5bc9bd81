import type { Answer } from '../http/answer.ts';
import { Refusal } from './answer.ts';
import type { ObjectType, PropertyDefinition } from './catalog.ts';
import type { HubspotPortal } from './portal.ts';
import { asObject, asText } from './requests.ts';

/** `/crm/properties/{objectType}`: definitions of properties and their groups. */

const VALUE_TYPES = ['string', 'number', 'datetime', 'enumeration', 'phone_number'] as const;
const NAME = /^[a-z][a-z0-9_]{0,99}$/;

export function listProperties(portal: HubspotPortal, type: ObjectType): Answer {
  return { status: 200, body: { results: [...portal.properties(type).values()].map(toResource) } };
}

export function readProperty(portal: HubspotPortal, type: ObjectType, name: string): Answer {
  const property = portal.properties(type).get(name);
  if (property === undefined) {
    throw new Refusal(404, `Property ${name} does not exist`, { category: 'OBJECT_NOT_FOUND' });
  }
  return { status: 200, body: toResource(property) };
}

export function createProperty(portal: HubspotPortal, type: ObjectType, body: unknown): Answer {
  const input = asObject(body, 'body');
  const name = asText(input['name'], 'name');
  if (!NAME.test(name))
    throw new Refusal(400, `Property name "${name}" must be lower case letters, digits and underscores`);
  if (portal.properties(type).has(name)) {
    throw new Refusal(409, `A property named '${name}' already exists.`, { category: 'OBJECT_ALREADY_EXISTS' });
  }
  const groupName = asText(input['groupName'], 'groupName');
  if (!portal.groups(type).has(groupName)) throw new Refusal(400, `Property group "${groupName}" does not exist`);
  const valueType = VALUE_TYPES.find((candidate) => candidate === input['type']);
  if (valueType === undefined) throw new Refusal(400, `Invalid property type ${String(input['type'])}`);
  const property: PropertyDefinition = {
    name,
    label: asText(input['label'], 'label'),
    groupName,
    type: valueType,
    fieldType: asText(input['fieldType'], 'fieldType'),
    hasUniqueValue: input['hasUniqueValue'] === true,
    hubspotDefined: false,
    readOnly: false,
    options: [],
  };
  portal.addProperty(type, property);
  return { status: 201, body: toResource(property) };
}

export function createGroup(portal: HubspotPortal, type: ObjectType, body: unknown): Answer {
  const input = asObject(body, 'body');
  const name = asText(input['name'], 'name');
  const label = asText(input['label'], 'label');
  if (portal.groups(type).has(name)) {
    throw new Refusal(409, `A property group named '${name}' already exists.`, { category: 'OBJECT_ALREADY_EXISTS' });
  }
  portal.groups(type).add(name);
  return { status: 201, body: { name, label, displayOrder: -1, archived: false } };
}

function toResource({ readOnly, options, ...property }: PropertyDefinition): Record<string, unknown> {
  return {
    ...property,
    description: '',
    options: options.map((value) => ({ label: value, value, hidden: false })),
    displayOrder: -1,
    calculated: false,
    externalOptions: false,
    archived: false,
    hidden: false,
    formField: false,
    modificationMetadata: {
      archivable: !property.hubspotDefined,
      readOnlyDefinition: property.hubspotDefined,
      readOnlyValue: readOnly,
    },
  };
}
