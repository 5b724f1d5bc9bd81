/** The text of a write policy, and what the server says of it. */

import type { AdminResult } from '@svc/operations/perform';

/** The source or the connection that has the policy. */
export interface PolicyOwner {
  readonly kind: 'source' | 'connection';
  readonly id: number;
}

export type PolicyVersion = AdminResult<'sources/policies'>['versions'][number];

/** A part of the JSON Schema of policies (`docs/write-policy.schema.json`). */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
}

/** Returns a policy as text, with its keys in the order of the schema: the database keeps them in another one. */
export function formatPolicy(policy: unknown, schema: SchemaNode): string {
  return JSON.stringify(inOrder(policy, schema), null, 2);
}

function inOrder(value: unknown, schema: SchemaNode | undefined): unknown {
  if (Array.isArray(value)) return value.map((entry) => inOrder(entry, branchOf(value, schema)?.items));
  if (!isRecord(value)) return value;
  const { properties = {} } = branchOf(value, schema) ?? {};
  const known = Object.keys(properties).filter((key) => key in value);
  const keys = [...known, ...Object.keys(value).filter((key) => !known.includes(key))];
  return Object.fromEntries(keys.map((key) => [key, inOrder(value[key], properties[key])]));
}

/** Returns the branch of a union that is for a value of this type. */
export function branchOf(value: unknown, schema: SchemaNode | undefined): SchemaNode | undefined {
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return schema?.anyOf?.find((branch) => branch.type === type) ?? schema;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an object with another value of a key; undefined takes the key away. */
export function withKey(value: unknown, key: string, next: unknown): Record<string, unknown> {
  const { [key]: _former, ...rest } = isRecord(value) ? value : {};
  if (next === undefined) return rest;
  // A key that is there keeps its place.
  return isRecord(value) && key in value ? { ...value, [key]: next } : { ...rest, [key]: next };
}

/** What is wrong (`bad`), doubtful (`warn`) or proven (`good`) at a place of a policy, such as `events.0.when`; the policy itself is ''. */
export interface Mark {
  readonly path: string;
  readonly text: string;
  readonly tone: 'bad' | 'warn' | 'good';
}

/** Returns what a refusal says of which place: `policy.create: must be ...; policy.events.0: ...`. */
export function readProblems(message: string): Mark[] {
  return message.split(/; (?=policy[.:])/).map((problem): Mark => {
    const [, path, text] = /^policy(?:\.([^:]*))?: (.*)$/s.exec(problem) ?? [];
    return text === undefined ? { path: '', text: problem, tone: 'bad' } : { path: path ?? '', text, tone: 'bad' };
  });
}

/** Returns where each notice belongs. It begins with its place, or is about the whole. @param parts names of the parts of a policy */
export function readNotices(notices: readonly string[], parts: readonly string[]): Mark[] {
  return notices.map((notice): Mark => {
    const [, path = '', text] = /^([\w.]+): (.*)$/s.exec(notice) ?? [];
    return text !== undefined && parts.includes(path.split('.')[0] ?? '')
      ? { path, text, tone: 'warn' }
      : { path: '', text: notice, tone: 'warn' };
  });
}

/** Returns the marks of a place and of everything below it. */
export function marksBelow(marks: readonly Mark[], path: string): Mark[] {
  return marks.filter((mark) => mark.path === path || path === '' || mark.path.startsWith(`${path}.`));
}
