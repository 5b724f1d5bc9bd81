/** What a column of a typed file holds. */
export type ColumnKind = 'integer' | 'timestamp' | 'text' | 'json';

const INTEGERS = ['id', 'connectionId', 'sourceId', 'payloadId', 'destinationId', 'httpStatus'];

/** @param command such as `syncs export`; a test holds the answers against the contract's schemas */
export function columnKind(command: string, field: string): ColumnKind {
  if (INTEGERS.includes(field)) return 'integer';
  if (field === 'createdAt') return 'timestamp';
  // What is inside of an error may be anything.
  if (field.includes('.') || (field === 'error' && command.startsWith('syncs '))) return 'json';
  return 'text';
}
