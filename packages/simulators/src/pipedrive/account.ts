import { Refusal } from './answer.ts';

/** What one simulated Pipedrive company holds. */

export interface ContactValue {
  value: string;
  primary: boolean;
  label: string;
}

export interface SimulatedPerson {
  id: number;
  name: string;
  owner_id: number;
  org_id: number | null;
  emails: ContactValue[];
  phones: ContactValue[];
  custom_fields: Record<string, string | null>;
  marketing_status: string;
  is_deleted: boolean;
  add_time: string;
  update_time: string;
  /** How often a call has written it; 0 for one made for a filter. */
  writes: number;
}

export interface SimulatedOrganization {
  id: number;
  name: string;
  owner_id: number;
  website: string | null;
  custom_fields: Record<string, string | null>;
  is_deleted: boolean;
  add_time: string;
  update_time: string;
  writes: number;
}

export interface SimulatedActivity {
  id: number;
  subject: string;
  type: string;
  done: boolean;
  due_date: string | null;
  due_time: string | null;
  owner_id: number;
  participants: { person_id: number; primary: boolean }[];
  org_id: number | null;
  note: string | null;
  is_deleted: boolean;
  add_time: string;
  update_time: string;
}

export interface SimulatedNote {
  id: number;
  content: string;
  person_id: number | null;
  org_id: number | null;
  user_id: number;
  active_flag: boolean;
  add_time: string;
  update_time: string;
}

export interface SimulatedField {
  field_name: string;
  field_code: string;
  field_type: string;
  is_custom_field: boolean;
}

export interface SimulatedUser {
  id: number;
  name: string;
  email: string;
  active_flag: boolean;
}

export interface SimulatedFilter {
  id: number;
  name: string;
  type: 'people' | 'org' | 'deals';
  /** Ids of the matching persons or organizations. */
  members: number[];
}

export type Fields = 'personFields' | 'organizationFields';

const STANDARD_FIELDS: Readonly<Record<Fields, readonly [name: string, type: string][]>> = {
  personFields: [
    ['Name', 'varchar'],
    ['Email', 'varchar'],
    ['Phone', 'phone'],
    ['Owner', 'user'],
    ['Organization', 'org'],
  ],
  organizationFields: [
    ['Name', 'varchar'],
    ['Owner', 'user'],
    ['Website', 'varchar'],
  ],
};

export class PipedriveAccount {
  readonly persons = new Map<number, SimulatedPerson>();
  readonly organizations = new Map<number, SimulatedOrganization>();
  readonly activities = new Map<number, SimulatedActivity>();
  readonly notes = new Map<number, SimulatedNote>();
  readonly filters = new Map<number, SimulatedFilter>();
  readonly fields: Record<Fields, SimulatedField[]> = { personFields: [], organizationFields: [] };
  readonly users: readonly SimulatedUser[];
  /** Keys of the active activity types. */
  activityTypes: string[] = [];
  readonly #now: () => Date;
  #lastId = 0;
  /** The last id that search finds: it does not find newer records yet. Null: search finds everything. */
  #indexedUntil: number | null = null;

  constructor(users: readonly SimulatedUser[], now: () => Date) {
    this.users = users;
    this.#now = now;
    this.reset();
  }

  reset(): void {
    for (const map of [this.persons, this.organizations, this.activities, this.notes, this.filters]) map.clear();
    this.#lastId = 0;
    this.#indexedUntil = null;
    this.activityTypes = ['call', 'meeting', 'task', 'deadline', 'email', 'lunch'];
    for (const kind of ['personFields', 'organizationFields'] as const) {
      this.fields[kind] = STANDARD_FIELDS[kind].map(([field_name, field_type]) => ({
        field_name,
        field_code: field_name.toLowerCase(),
        field_type,
        is_custom_field: false,
      }));
    }
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** The form in which v2 sends times. */
  time(): string {
    return `${this.#now().toISOString().slice(0, 19)}Z`;
  }

  /** While frozen, searches do not find newer records; lists do. */
  freezeSearch(isFrozen: boolean): void {
    this.#indexedUntil = isFrozen ? this.#lastId : null;
  }

  isSearchable(record: { id: number; is_deleted: boolean }): boolean {
    return !record.is_deleted && (this.#indexedUntil === null || record.id <= this.#indexedUntil);
  }

  /** @throws Refusal for a user who cannot own anything */
  assertOwner(id: number): void {
    if (!this.users.some((user) => user.id === id && user.active_flag)) {
      throw new Refusal(400, 'Validation failed: owner_id: user is not found');
    }
  }

  /** @throws Refusal for fields that do not exist and values that do not fit */
  assertCustomFields(kind: Fields, values: Readonly<Record<string, unknown>>): Record<string, string | null> {
    const entries = Object.entries(values).map(([code, value]): [string, string | null] => {
      if (!this.fields[kind].some((field) => field.is_custom_field && field.field_code === code)) {
        throw new Refusal(400, `Validation failed: custom_fields: ${code} does not exist`);
      }
      if (value !== null && (typeof value !== 'string' || value.length > 255)) {
        throw new Refusal(400, `Validation failed: custom_fields.${code}: Expected string of at most 255 characters`);
      }
      return [code, value];
    });
    return Object.fromEntries(entries);
  }
}
