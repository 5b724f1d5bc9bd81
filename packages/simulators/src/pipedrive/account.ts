import { Refusal } from './answer.ts';

/** What one simulated Pipedrive company holds. */

export interface ContactValue {
  value: string;
  primary: boolean;
  label: string;
}

/** Of a custom field: text, a number, or the ids of options. */
export type CustomValue = string | number | readonly number[] | null;

export interface SimulatedPerson {
  id: number;
  name: string;
  owner_id: number;
  org_id: number | null;
  emails: ContactValue[];
  phones: ContactValue[];
  label_ids: number[];
  custom_fields: Record<string, CustomValue>;
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
  custom_fields: Record<string, CustomValue>;
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
  deal_id: number | null;
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
  deal_id: number | null;
  user_id: number;
  active_flag: boolean;
  add_time: string;
  update_time: string;
}

export interface SimulatedDeal {
  id: number;
  title: string;
  owner_id: number;
  person_id: number | null;
  org_id: number | null;
  pipeline_id: number;
  stage_id: number;
  status: 'open' | 'won' | 'lost';
  is_deleted: boolean;
  add_time: string;
  update_time: string;
}

export interface SimulatedPipeline {
  id: number;
  name: string;
  stages: readonly { id: number; name: string }[];
}

export interface SimulatedOption {
  id: number;
  label: string;
}

export interface SimulatedField {
  field_name: string;
  field_code: string;
  field_type: string;
  /** Of a field of type `enum` or `set`. */
  options: readonly SimulatedOption[] | null;
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

/** What an admin has set up; made anew after every reset. */
export interface AccountSetup {
  /** Labels of persons. */
  labels: readonly string[];
  /** In the order in which Pipedrive shows them. */
  pipelines: readonly { name: string; stages: readonly string[] }[];
  /** The id of a statement of docs/crm/pipedrive.md that does not hold. */
  breaks: string | null;
}

/** Labels that a new company has, and pipelines. */
export const DEFAULT_SETUP: AccountSetup = {
  labels: ['Customer', 'Hot lead', 'Warm lead', 'Cold lead'],
  pipelines: [
    { name: 'Sales', stages: ['Qualified', 'Meeting'] },
    { name: 'Partners', stages: ['Qualified'] },
  ],
  breaks: null,
};

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
  readonly deals = new Map<number, SimulatedDeal>();
  readonly pipelines: readonly SimulatedPipeline[];
  readonly #labelField: SimulatedField;
  readonly filters = new Map<number, SimulatedFilter>();
  readonly fields: Record<Fields, SimulatedField[]> = { personFields: [], organizationFields: [] };
  readonly users: readonly SimulatedUser[];
  /** Keys of the active activity types. */
  activityTypes: string[] = [];
  readonly #now: () => Date;
  #lastId = 0;
  /** The last id that search finds: it does not find newer records yet. Null: search finds everything. */
  #indexedUntil: number | null = null;

  readonly #breaks: string | null;

  constructor(users: readonly SimulatedUser[], now: () => Date, { labels, pipelines, breaks }: AccountSetup) {
    this.users = users;
    this.#now = now;
    this.#breaks = breaks;
    this.pipelines = pipelines.map(({ name, stages }, index) => ({
      ...{ id: index + 1, name },
      stages: stages.map((stage, position) => ({ id: (index + 1) * 1000 + position + 1, name: stage })),
    }));
    this.#labelField = {
      ...{ field_name: 'Labels', field_code: 'label_ids', field_type: 'set', is_custom_field: false },
      options: labels.map((label, index) => ({ id: 901 + index, label })),
    };
    this.reset();
  }

  reset(): void {
    for (const map of [this.persons, this.organizations, this.activities, this.notes, this.deals, this.filters]) {
      map.clear();
    }
    this.#lastId = 0;
    this.#indexedUntil = null;
    this.activityTypes = ['call', 'meeting', 'task', 'deadline', 'email', 'lunch'];
    for (const kind of ['personFields', 'organizationFields'] as const) {
      this.fields[kind] = STANDARD_FIELDS[kind].map(([field_name, field_type]) => ({
        field_name,
        field_code: field_name.toLowerCase(),
        field_type,
        options: null,
        is_custom_field: false,
      }));
    }
    this.fields.personFields.push(this.#labelField);
  }

  /** Returns whether Pipedrive does otherwise than a statement of docs/crm/pipedrive.md says. */
  isBroken(statement: `pipedrive-${number}`): boolean {
    return this.#breaks === statement;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  deletePersonField(code: string): void {
    this.fields.personFields = this.fields.personFields.filter(({ field_code }) => field_code !== code);
    for (const person of this.persons.values()) delete person.custom_fields[code];
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

  /** @throws Refusal for a deal that does not exist */
  assertDeal(id: number): void {
    if (this.deals.get(id)?.is_deleted !== false)
      throw new Refusal(400, 'Validation failed: deal_id: deal is not found');
  }

  /** @throws Refusal for labels that do not exist */
  assertLabels(ids: readonly number[]): void {
    if (!ids.every((id) => this.#labelField.options?.some((label) => label.id === id))) {
      throw new Refusal(400, 'Validation failed: label_ids: label is not found');
    }
  }

  /** @throws Refusal for fields that do not exist and values that do not fit */
  assertCustomFields(kind: Fields, values: Readonly<Record<string, unknown>>): Record<string, CustomValue> {
    const entries = Object.entries(values).map(([code, value]): [string, CustomValue] => {
      const field = this.fields[kind].find((one) => one.is_custom_field && one.field_code === code);
      if (field === undefined) throw new Refusal(400, `Validation failed: custom_fields: ${code} does not exist`);
      const custom = value === null ? null : asCustomValue(field, value);
      const isOther = this.isBroken('pipedrive-8') && typeof custom === 'number';
      return [code, isOther ? custom + 1 : custom];
    });
    return Object.fromEntries(entries);
  }
}

const TEXT_MAX: Readonly<Record<string, number>> = { varchar: 255, varchar_auto: 255, phone: 255, text: 65_000 };

function asCustomValue({ field_type, field_code, options }: SimulatedField, value: unknown): CustomValue {
  const isOption = (id: unknown): id is number => options?.some((option) => option.id === id) === true;
  const max = TEXT_MAX[field_type];
  if (max !== undefined && typeof value === 'string' && value.length <= max) return value;
  if (field_type === 'double' && typeof value === 'number') return value;
  if (field_type === 'date' && typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)) return value;
  if (field_type === 'enum' && isOption(value)) return value;
  if (field_type === 'set' && Array.isArray(value) && value.length > 0 && value.every(isOption)) return value;
  throw new Refusal(400, `Validation failed: custom_fields.${field_code}: the value does not fit a ${field_type}`);
}
