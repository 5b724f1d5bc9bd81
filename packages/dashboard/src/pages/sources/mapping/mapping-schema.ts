/** What a mapping may have, and what is wrong with one, as the server sees it. */
import './mapping-zod.ts';
import { labelOf } from '../../../forms/label.ts';
import { type EventMapping, eventMappingSchema, type MappedField } from '@svc/domain/mappings/event-mapping';

/** Fields that are put together of several values. */
export const JOINED: ReadonlySet<string> = new Set<MappedField>(['eventName', 'eventKey']);

/** The fields of a mapping by what they are about. */
export const FIELD_GROUPS = [
  { label: 'Event', fields: ['eventName', 'eventKey', 'occurredAt'] },
  {
    label: 'Lead',
    fields: [
      'email',
      'profileUrl',
      'firstName',
      'lastName',
      'fullName',
      'companyName',
      'companyDomain',
      'jobTitle',
      'phone',
      'custom',
      'tags',
      'leadId',
      'leadUrl',
    ],
  },
  { label: 'Campaign', fields: ['campaignId', 'campaignName', 'sequenceNumber', 'categoryId', 'categoryName'] },
  {
    label: 'Message',
    fields: [
      'fromEmail',
      'subject',
      'bodyHtml',
      'bodyText',
      'messageId',
      'answeredMessageId',
      'linkUrls',
      'isAutomaticReply',
    ],
  },
] as const satisfies readonly { label: string; fields: readonly MappedField[] }[];

type Described = { readonly description?: string | undefined; unwrap?(): Described };
type Shape = Readonly<Record<string, Described>>;

const parts: Shape = eventMappingSchema.shape;
const fields: Shape = eventMappingSchema.shape.fields.shape;
const constants = eventMappingSchema.shape.constants.unwrap().shape;

export const CONSTANTS = Object.keys(constants);

/** Returns what the format says about a part, such as `items`, or about a field. */
export function describePart(name: string): string | undefined {
  return descriptionOf(parts[name]);
}

export function describeField(name: string): string | undefined {
  return descriptionOf(fields[name]);
}

function descriptionOf(schema: Described | undefined): string | undefined {
  return schema?.description ?? schema?.unwrap?.().description;
}

export interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Returns the mapping in the order of the format, or what is wrong with it. */
export function checkMapping(value: unknown): { mapping: EventMapping; problems: null } | { problems: Problem[] } {
  const { data, error } = eventMappingSchema.safeParse(value);
  return error === undefined
    ? { mapping: data, problems: null }
    : { problems: error.issues.map(({ path, message }) => ({ path: path.map(String), message })) };
}

/** Says what is wrong in the words of the form: `Email must name at least one path.` */
export function describeProblem({ path, message }: Problem): string {
  const [part = '', ...rest] = path;
  const end = message.endsWith('.') ? '' : '.';
  return part === '' ? `The mapping ${message}${end}` : `${placeOf(part, rest)} ${message}${end}`;
}

function placeOf(part: string, [name, inner]: readonly string[]): string {
  if (name === undefined) return labelOf(part);
  if (part === 'fields') return labelOf(name);
  if (part === 'constants') return `The constant ${labelOf(name).toLowerCase()}`;
  if (part === 'eventTypes') return `Event type ${JSON.stringify(name)}`;
  if (part === 'when') return inner === undefined ? `Events ${name}` : `${labelOf(inner)} of ${name}`;
  return labelOf(part);
}
