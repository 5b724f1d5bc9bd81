import type { ObjectType } from './definitions.ts';

export type Value = string | number | boolean | null;
export type Values = Readonly<Record<string, Value>>;

export interface StoredRecord {
  id: string;
  objectType: ObjectType;
  values: Record<string, Value>;
  isDeleted: boolean;
  /** Number of writes by calls: 0 for a record that existed before. */
  writes: number;
}

/** What the rules of a write ask about the records of the org. */
export interface OrgRecords {
  /** Whether a statement of docs/crm/salesforce.md does not hold here. */
  isBroken(statement: string): boolean;
  /** Records that are not deleted. */
  all(type: ObjectType): StoredRecord[];
  /** Finds a record by id, in any form and in the recycle bin too. */
  find(id: string): StoredRecord | null;
  ownerOfUnique(objectType: ObjectType, name: string, value: string): string | null;
  /** @throws Refusal when the person of a task cannot have one */
  assertPerson(id: string): void;
}
