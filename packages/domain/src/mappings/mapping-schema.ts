import * as z from 'zod';
import { eventMappingSchema } from './event-mapping.ts';

/** Returns the JSON Schema of a mapping, for editors. It has no rules that JSON Schema cannot express, such as the form of a path. */
export function mappingJsonSchema(): object {
  return {
    title: 'Mapping of a source',
    ...z.toJSONSchema(eventMappingSchema, { target: 'draft-2020-12', io: 'input' }),
  };
}
