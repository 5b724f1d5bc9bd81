import type { ObjectType } from './catalog.ts';

/** A property whose values are not unique, but by which records are found without looking at all of them. */
const SEARCHED: Partial<Record<ObjectType, string>> = { companies: 'domain' };
/** HubSpot also finds a contact by its other addresses. */
const OTHER_EMAILS = 'hs_additional_emails';

/** Finds records by the values of their properties, in any letter case. */
export class RecordIndex {
  readonly #unique = new Map<string, string>();
  readonly #searched = new Map<string, Set<string>>();

  clear(): void {
    this.#unique.clear();
    this.#searched.clear();
  }

  /** Returns the id of the record with this unique value. */
  find(type: ObjectType, name: string, value: string): string | undefined {
    return this.#unique.get(toKey(type, name, value));
  }

  /** Returns the ids of the records with one of these values; null when the property is not indexed. */
  search(type: ObjectType, name: string, values: readonly string[]): string[] | null {
    if (SEARCHED[type] !== name) return null;
    return values.flatMap((value) => [...(this.#searched.get(toKey(type, name, value)) ?? [])]);
  }

  /** Replaces a value; "" is none. */
  replace(
    record: { objectType: ObjectType; id: string },
    { name, isUnique, before, after }: { name: string; isUnique: boolean; before: string; after: string },
  ): void {
    const { objectType, id } = record;
    if (SEARCHED[objectType] === name) {
      this.#searched.get(toKey(objectType, name, before))?.delete(id);
      const key = toKey(objectType, name, after);
      if (after !== '') this.#searched.set(key, (this.#searched.get(key) ?? new Set()).add(id));
    }
    const isList = name === OTHER_EMAILS;
    if (!isUnique && !isList) return;
    const keys = (value: string) =>
      (isList ? value.split(';') : [value])
        .filter((each) => each !== '')
        .map((each) => toKey(objectType, isList ? 'email' : name, each));
    for (const key of keys(before)) this.#unique.delete(key);
    for (const key of keys(after)) this.#unique.set(key, id);
  }
}

function toKey(type: ObjectType, name: string, value: string): string {
  return `${type}/${name}/${value.toLowerCase()}`;
}
