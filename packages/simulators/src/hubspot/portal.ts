import {
  associationTypeId,
  OBJECT_TYPES,
  OBJECT_TYPE_NAMES,
  type ObjectType,
  ownProperties,
  type PropertyDefinition,
} from './catalog.ts';
import { invalidProperties, type PropertyProblem, Refusal } from './answer.ts';
import { isClosedStage, PIPELINES, type SimulatedPipeline } from './pipelines.ts';
import { RecordIndex } from './record-index.ts';
import { assertRequired, findProblem, missingOnCreate, type RequiredProperty } from './validation.ts';

/** The state of the simulated CRM: records, properties, associations, and the rules of a write. */

export interface StoredRecord {
  id: string;
  objectType: ObjectType;
  properties: Record<string, string>;
  createdAt: string;
  updatedAt: string;
  /** Number of writes by calls: a record upserted twice has 2, one created for a list has 0. */
  writes: number;
  /** Ids of associated records by type. */
  associations: Partial<Record<ObjectType, string[]>>;
}

/** A rule of the account, for tests: returns why a record is refused, or null. */
export type ValidationRule = (type: ObjectType, values: Readonly<Record<string, string>>) => string | null;

/** Custom unique properties that a portal allows per object type. */
const UNIQUE_PROPERTIES_MAX = 10;

/** What a test adds to the properties of a fresh portal. */
export type AddedProperty = Pick<PropertyDefinition, 'name'> &
  Partial<Pick<PropertyDefinition, 'type' | 'fieldType' | 'options' | 'hasUniqueValue' | 'readOnly'>>;

export interface PortalOptions {
  rule?: ValidationRule | undefined;
  /** Object types on which no unique property can be made. */
  refusesUniqueOn?: readonly ObjectType[] | undefined;
  /** Object types of which nothing is read or upserted by a custom property, although it can be unique. */
  refusesUpsertOn?: readonly ObjectType[] | undefined;
  /** Default: two. */
  pipelines?: readonly SimulatedPipeline[] | undefined;
  /** Ids of the users who can own records. */
  ownerIds?: readonly string[] | undefined;
  /** The statement of docs/crm/hubspot.md that does not hold. */
  breaks?: string | undefined;
}

export class HubspotPortal {
  readonly #now: () => Date;
  #lastId = 40_000;
  #records = new Map<ObjectType, Map<string, StoredRecord>>();
  #properties = new Map<ObjectType, Map<string, PropertyDefinition>>();
  #groups = new Map<ObjectType, Set<string>>();
  readonly #index = new RecordIndex();
  /** `id/id` of every association, in both directions. */
  #links = new Set<string>();
  /** The last record that a search finds while frozen; null for all. */
  #frozenAt: number | null = null;
  readonly #rule: ValidationRule;
  readonly #refusesUniqueOn: readonly ObjectType[];
  readonly #refusesUpsertOn: readonly ObjectType[];
  readonly pipelines: readonly SimulatedPipeline[];
  readonly #ownerIds: ReadonlySet<string>;
  readonly #breaks: string | undefined;
  #required: readonly RequiredProperty[] = [];

  constructor(now: () => Date, options: PortalOptions = {}) {
    this.#now = now;
    this.#rule = options.rule ?? (() => null);
    this.#refusesUniqueOn = options.refusesUniqueOn ?? [];
    this.#breaks = options.breaks;
    this.#refusesUpsertOn = this.isBroken('hubspot-1') ? ['calls'] : (options.refusesUpsertOn ?? []);
    this.pipelines = options.pipelines ?? PIPELINES;
    this.#ownerIds = new Set(options.ownerIds);
    this.reset();
  }

  reset(): void {
    this.#frozenAt = null;
    this.#required = [];
    this.#index.clear();
    this.#links.clear();
    for (const type of OBJECT_TYPE_NAMES) {
      this.#records.set(type, new Map());
      this.#properties.set(type, ownProperties(type));
      this.#groups.set(type, new Set(['hubspot_defined']));
    }
  }

  isBroken(statement: `hubspot-${number}`): boolean {
    return this.#breaks === statement;
  }

  /** Replaces the rules that make properties required. */
  requireProperties(rules: readonly RequiredProperty[]): void {
    this.#required = rules;
  }

  /** While frozen, searches do not find newer records, as HubSpot's index lags by seconds. */
  freezeSearch(isFrozen: boolean): void {
    this.#frozenAt = isFrozen ? this.#lastId : null;
  }

  all(type: ObjectType): StoredRecord[] {
    return [...this.#table(type).values()];
  }

  /**
   * Returns the records that a search looks at: those with one of the values of an indexed property, else all.
   *
   * @param narrowed values of one property that every result must have; null when there is no such filter
   */
  searchable(type: ObjectType, narrowed: { property: string; values: readonly string[] } | null): StoredRecord[] {
    const frozenAt = this.#frozenAt;
    const ids = narrowed === null ? null : this.#index.search(type, narrowed.property, narrowed.values);
    const table = this.#table(type);
    const found = ids === null ? [...table.values()] : ids.flatMap((id) => table.get(id) ?? []);
    return frozenAt === null ? found : found.filter((record) => Number(record.id) <= frozenAt);
  }

  properties(type: ObjectType): Map<string, PropertyDefinition> {
    return this.#properties.get(type) ?? new Map();
  }

  groups(type: ObjectType): Set<string> {
    return this.#groups.get(type) ?? new Set();
  }

  addProperty(type: ObjectType, property: PropertyDefinition): void {
    if (property.hasUniqueValue && this.#refusesUniqueOn.includes(type)) {
      throw new Refusal(400, `${OBJECT_TYPES[type].label} does not support properties with unique values`);
    }
    const custom = [...this.properties(type).values()].filter((other) => !other.hubspotDefined && other.hasUniqueValue);
    if (property.hasUniqueValue && custom.length >= UNIQUE_PROPERTIES_MAX) {
      throw new Refusal(400, `The limit of ${UNIQUE_PROPERTIES_MAX} unique properties was reached`, {
        category: 'VALIDATION_ERROR',
        subCategory: 'Properties.LIMIT_EXCEEDED',
      });
    }
    this.properties(type).set(property.name, property);
  }

  /** Adds a property that an admin made: a text unless its type says otherwise. */
  defineProperty(type: ObjectType, property: AddedProperty): void {
    this.properties(type).set(property.name, {
      label: property.name,
      groupName: 'hubspot_defined',
      type: 'string',
      fieldType: property.type === 'enumeration' ? 'select' : 'text',
      hasUniqueValue: false,
      hubspotDefined: false,
      readOnly: false,
      options: [],
      ...property,
    });
  }

  /** Adds the options that a property does not have by value or label. */
  addOptions(type: ObjectType, name: string, values: readonly string[]): void {
    const property = this.properties(type).get(name);
    if (property === undefined) return;
    const known = new Set(
      property.options.flatMap(({ value, label }) => [value, label]).map((text) => text.toLowerCase()),
    );
    const added = values.filter((value) => !known.has(value.toLowerCase())).map((value) => ({ value, label: value }));
    this.properties(type).set(name, { ...property, options: [...property.options, ...added] });
  }

  deleteProperty(type: ObjectType, name: string): void {
    this.properties(type).delete(name);
  }

  /** Finds a record by id, or by the value of a unique property. */
  find(type: ObjectType, id: string, idProperty?: string): StoredRecord | null {
    if (idProperty === undefined || idProperty === 'hs_object_id') return this.#table(type).get(id) ?? null;
    this.assertUnique(type, idProperty);
    const found = this.#index.find(type, idProperty, id);
    return found === undefined ? null : (this.#table(type).get(found) ?? null);
  }

  delete(record: StoredRecord): void {
    const { objectType, properties, id } = record;
    this.#write(record, Object.fromEntries(Object.keys(properties).map((name) => [name, ''])));
    this.#table(objectType).delete(id);
    for (const [type, ids] of Object.entries(record.associations)) {
      for (const other of ids) {
        this.#links.delete(`${id}/${other}`);
        this.#links.delete(`${other}/${id}`);
        const linkedTo = this.find(type as ObjectType, other);
        if (linkedTo?.properties['associatedcompanyid'] === id) delete linkedTo.properties['associatedcompanyid'];
        const mirrored = linkedTo?.associations;
        if (mirrored?.[objectType] !== undefined)
          mirrored[objectType] = mirrored[objectType].filter((linked) => linked !== id);
      }
    }
  }

  assertUnique(type: ObjectType, name: string): void {
    const property = this.properties(type).get(name);
    const isRefused = this.#refusesUpsertOn.includes(type) && property?.hubspotDefined === false;
    if (property?.hasUniqueValue !== true || isRefused) {
      throw new Refusal(
        400,
        `Unable to perform update/upsert by non-unique ${OBJECT_TYPES[type].typeId} property ${name} in portal ID 1000001`,
      );
    }
  }

  /** Throws what a write of these values would throw; `record` is the one to update, null for a new one. */
  assertWritable(type: ObjectType, values: Readonly<Record<string, string>>, record: StoredRecord | null): void {
    this.#validate(type, values, record);
    const missing = record === null ? missingOnCreate(type, values) : [];
    if (missing.length > 0) {
      throw new Refusal(400, `Error creating ${OBJECT_TYPES[type].label}. Some required properties were not set.`, {
        context: { properties: missing },
      });
    }
  }

  /** Throws what the account's required properties refuse. */
  assertRequired(type: ObjectType, values: Readonly<Record<string, string>>, record: StoredRecord | null): void {
    assertRequired(this.#required, type, values, record?.properties ?? null);
  }

  create(type: ObjectType, values: Readonly<Record<string, string>>): StoredRecord {
    this.assertWritable(type, values, null);
    const now = this.#now().toISOString();
    this.#lastId += 1;
    const id = String(this.#lastId);
    const properties = {
      hs_object_id: id,
      [['contacts', 'companies', 'deals'].includes(type) ? 'createdate' : 'hs_createdate']: now,
    };
    const record: StoredRecord = {
      id,
      objectType: type,
      properties,
      createdAt: now,
      updatedAt: now,
      writes: 0,
      associations: {},
    };
    this.#table(type).set(id, record);
    this.#write(record, values);
    if (type === 'contacts' && this.isBroken('hubspot-15')) {
      this.associate(record, this.create('companies', { domain: 'selftest.example.com' }));
    }
    return record;
  }

  /** Creates a record that existed before any call. */
  seed(type: ObjectType, values: Readonly<Record<string, string>>): StoredRecord {
    const record = this.create(type, values);
    record.writes = 0;
    return record;
  }

  update(record: StoredRecord, values: Readonly<Record<string, string>>): StoredRecord {
    this.assertWritable(record.objectType, values, record);
    if (this.isBroken('hubspot-10') && values['lifecyclestage'] !== undefined) return record;
    this.#write(record, values);
    return record;
  }

  associate(from: StoredRecord, to: StoredRecord): number {
    const typeId = associationTypeId(from.objectType, to.objectType);
    if (typeId === null) {
      throw new Refusal(400, `No default association type between ${from.objectType} and ${to.objectType}`);
    }
    this.#link(from, to);
    this.#link(to, from);
    for (const [contact, company] of [
      [from, to],
      [to, from],
    ] as const) {
      if (contact.objectType === 'contacts' && company.objectType === 'companies')
        contact.properties['associatedcompanyid'] ??= company.id;
    }
    return typeId;
  }

  #table(type: ObjectType): Map<string, StoredRecord> {
    const table = this.#records.get(type);
    if (table === undefined) throw new Error(`no table for ${type}`);
    return table;
  }

  #link(from: StoredRecord, to: StoredRecord): void {
    const key = `${from.id}/${to.id}`;
    if (this.#links.has(key)) return;
    this.#links.add(key);
    (from.associations[to.objectType] ??= []).push(to.id);
  }

  #write(record: StoredRecord, values: Readonly<Record<string, string>>): void {
    const { objectType, properties } = record;
    for (const [name, value] of Object.entries(values)) {
      const isUnique = this.properties(objectType).get(name)?.hasUniqueValue === true;
      this.#index.replace(record, { name, isUnique, before: properties[name] ?? '', after: value });
      if (value === '') delete properties[name];
      else properties[name] = name === 'email' ? value.toLowerCase() : value;
    }
    if (objectType === 'calls' && this.isBroken('hubspot-8')) delete properties['hubspot_owner_id'];
    if (objectType === 'deals' && !this.isBroken('hubspot-13'))
      properties['hs_is_closed'] = String(isClosedStage(this.pipelines, properties['dealstage']));
    record.updatedAt = this.#now().toISOString();
    properties[objectType === 'contacts' ? 'lastmodifieddate' : 'hs_lastmodifieddate'] = record.updatedAt;
    record.writes += 1;
  }

  #validate(type: ObjectType, values: Readonly<Record<string, string>>, record: StoredRecord | null): void {
    const problems = Object.entries(values).flatMap(([name, value]): PropertyProblem[] => {
      const property = this.properties(type).get(name);
      if (property === undefined)
        return [{ name, error: 'PROPERTY_DOESNT_EXIST', message: `Property "${name}" does not exist` }];
      if (property.readOnly)
        return [
          { name, error: 'READ_ONLY_VALUE', message: `"${name}" is a read only property; its value cannot be set.` },
        ];
      const isStranger =
        name === 'hubspot_owner_id' && value !== '' && this.#ownerIds.size > 0 && !this.#ownerIds.has(value);
      if (isStranger && !this.isBroken('hubspot-9')) {
        return [{ name, error: 'INVALID_OWNER_ID', message: `${value} is no owner.` }];
      }
      const problem = value === '' ? null : findProblem(property, value);
      if (problem !== null) return [problem];
      const owner = property.hasUniqueValue ? this.#index.find(type, name, value) : undefined;
      const isTaken = owner !== undefined && owner !== record?.id;
      return isTaken ? [{ name, error: 'CONFLICTING_UNIQUE_VALUE', message: `${owner} already has that value.` }] : [];
    });
    if (problems.length > 0) throw invalidProperties(problems);
    const refused = this.#rule(type, values);
    if (refused !== null) throw new Refusal(400, refused);
  }
}
