import type { Answer } from '../http/answer.ts';
import { Refusal } from './answer.ts';
import type { ObjectType, PropertyDefinition } from './catalog.ts';
import { toBatchAnswer, toBatchError } from './batch.ts';
import type { HubspotPortal } from './portal.ts';
import { asObject, asText, type Json, readInputs } from './requests.ts';

/** `/crm/properties/{objectType}`: definitions of properties and their groups. */

const VALUE_TYPES = ['string', 'number', 'bool', 'date', 'datetime', 'enumeration', 'phone_number'] as const;
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
  return { status: 201, body: create(portal, type, asObject(body, 'body')) };
}

/** Creates the properties that can be created; the others are refused. */
export function createProperties(portal: HubspotPortal, type: ObjectType, body: unknown, now: () => Date): Answer {
  const startedAt = now().toISOString();
  const results: Json[] = [];
  const errors: Json[] = [];
  for (const input of readInputs(body)) {
    try {
      results.push(create(portal, type, input));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      errors.push(toBatchError(error, { name: [String(input['name'])] }));
    }
  }
  return toBatchAnswer(results, errors, startedAt, now, 201);
}

function create(portal: HubspotPortal, type: ObjectType, input: Json): Json {
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
  return toResource(property);
}

export function listGroups(portal: HubspotPortal, type: ObjectType): Answer {
  const results = [...portal.groups(type)].map((name) => ({ name, label: name, displayOrder: -1, archived: false }));
  return { status: 200, body: { results } };
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
    options: options.map((option, displayOrder) => ({ ...option, displayOrder, hidden: false })),
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
