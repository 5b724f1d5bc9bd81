import type { Answer } from '../http/answer.ts';
import { Refusal } from './answer.ts';
import { OBJECT_TYPES } from './catalog.ts';
import type { HubspotPortal, StoredRecord } from './portal.ts';
import { asObject, asText, asTexts } from './requests.ts';

/** `/crm/lists`: lists of contacts or companies, with members ordered by record id. */

export interface SimulatedList {
  /** Default: the next free id. */
  listId?: string;
  name: string;
  objectType: 'contacts' | 'companies';
  /**
   * Addresses of contacts or domains of companies; missing records are created. A name without an @ creates a contact
   * without an address.
   */
  members: readonly string[];
  /** Default `MANUAL`: members are added by hand. */
  processingType?: 'MANUAL' | 'SNAPSHOT' | 'DYNAMIC';
}

/** A list as `/__sim/state` shows it. */
export interface ListState {
  listId: string;
  name: string;
  objectTypeId: string;
  size: number;
}

interface StoredList extends Omit<ListState, 'size'> {
  objectType: SimulatedList['objectType'];
  processingType: 'MANUAL' | 'SNAPSHOT' | 'DYNAMIC';
  /** When each record joined, by record id. */
  members: Map<string, string>;
  /** Record ids in ascending order; null after a change. */
  ordered: string[] | null;
  createdAt: string;
}

const PAGE_DEFAULT = 100;
const PAGE_MAX = 250;

export class HubspotLists {
  readonly #portal: HubspotPortal;
  readonly #now: () => Date;
  readonly #lists = new Map<string, StoredList>();
  /** The companies created here, by domain, because the portal does not keep domains unique. */
  readonly #companies = new Map<string, StoredRecord>();
  #lastId = 100;

  constructor(portal: HubspotPortal, now: () => Date) {
    this.#portal = portal;
    this.#now = now;
  }

  reset(): void {
    this.#lists.clear();
    this.#companies.clear();
  }

  /** Returns the list's id. An existing id gets a new list. */
  create({ listId, name, objectType, members, processingType = 'MANUAL' }: SimulatedList): string {
    const id = listId ?? String((this.#lastId += 1));
    const { typeId: objectTypeId } = OBJECT_TYPES[objectType];
    const createdAt = this.#now().toISOString();
    this.#lists.set(id, {
      ...{ listId: id, name, objectType, objectTypeId, processingType },
      ...{ members: new Map(), ordered: null, createdAt },
    });
    this.addMembers(id, members);
    return id;
  }

  addMembers(listId: string, members: readonly string[]): void {
    const list = this.get(listId);
    const at = this.#now().toISOString();
    for (const member of members) list.members.set(this.#recordOf(list.objectType, member).id, at);
    list.ordered = null;
  }

  removeMembers(listId: string, members: readonly string[]): void {
    const list = this.get(listId);
    for (const member of members) list.members.delete(this.#recordOf(list.objectType, member).id);
    list.ordered = null;
  }

  /** Adds records by id, as a call does; returns those that were no members. */
  addRecords(listId: string, recordIds: readonly string[]): string[] {
    const list = this.get(listId);
    if (list.processingType === 'DYNAMIC') {
      throw new Refusal(400, `List ${listId} is DYNAMIC: its memberships cannot be changed.`);
    }
    const at = this.#now().toISOString();
    const added = recordIds.filter((id) => !list.members.has(id));
    for (const id of added) list.members.set(id, at);
    list.ordered = null;
    return added;
  }

  delete(listId: string): void {
    this.#lists.delete(listId);
  }

  /** @throws Refusal 404 */
  get(listId: string): StoredList {
    const list = this.#lists.get(listId);
    if (list === undefined) {
      throw new Refusal(404, `List does not exist with ID ${listId}.`, { category: 'OBJECT_NOT_FOUND' });
    }
    return list;
  }

  state(): ListState[] {
    return [...this.#lists.values()].map(({ listId, name, objectTypeId, members }) => ({
      listId,
      name,
      objectTypeId,
      size: members.size,
    }));
  }

  #recordOf(objectType: SimulatedList['objectType'], member: string): StoredRecord {
    if (objectType === 'companies') {
      const company = this.#companies.get(member) ?? this.#portal.seed('companies', { domain: member });
      this.#companies.set(member, company);
      return company;
    }
    if (!member.includes('@')) return this.#portal.seed('contacts', { firstname: member });
    return this.#portal.find('contacts', member, 'email') ?? this.#portal.seed('contacts', { email: member });
  }
}

export function createList(lists: HubspotLists, body: unknown): Answer {
  const { name, objectTypeId } = asObject(body, 'body');
  const objectType = objectTypeId === OBJECT_TYPES.companies.typeId ? 'companies' : 'contacts';
  return readList(lists, lists.create({ name: asText(name, 'name'), objectType, members: [] }));
}

export function deleteList(lists: HubspotLists, listId: string): Answer {
  lists.get(listId);
  lists.delete(listId);
  return { status: 204 };
}

export function readList(lists: HubspotLists, listId: string): Answer {
  const { name, objectTypeId, members, createdAt, processingType } = lists.get(listId);
  return {
    status: 200,
    body: {
      list: {
        listId,
        listVersion: 1,
        name,
        objectTypeId,
        processingType,
        processingStatus: 'COMPLETE',
        createdAt,
        updatedAt: createdAt,
        size: members.size,
      },
    },
  };
}

export function addMemberships(lists: HubspotLists, portal: HubspotPortal, listId: string, body: unknown): Answer {
  const { objectType } = lists.get(listId);
  const ids = asTexts(body, 'body');
  const missing = ids.filter((id) => portal.find(objectType, id) === null);
  const added = lists.addRecords(
    listId,
    ids.filter((id) => !missing.includes(id)),
  );
  return {
    status: 200,
    body: {
      recordsIdsAdded: added,
      recordIdsRemoved: [],
      recordIdsMissing: portal.isBroken('hubspot-14') ? [] : missing,
    },
  };
}

export function listMemberships(lists: HubspotLists, listId: string, query: URLSearchParams): Answer {
  const list = lists.get(listId);
  const limit = Number(query.get('limit') ?? PAGE_DEFAULT);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= PAGE_MAX)) {
    throw new Refusal(400, `limit must be between 1 and ${PAGE_MAX}`);
  }
  const after = query.get('after');
  const from = after === null ? 0 : readCursor(after);
  list.ordered ??= [...list.members.keys()].sort((a, b) => Number(a) - Number(b));
  const start = list.ordered.findIndex((recordId) => Number(recordId) > from);
  const page = start < 0 ? [] : list.ordered.slice(start, start + limit);
  const last = page.at(-1);
  return {
    status: 200,
    body: {
      total: list.members.size,
      results: page.map((recordId) => ({ recordId, membershipTimestamp: list.members.get(recordId) })),
      ...(last !== undefined && last !== list.ordered.at(-1) ? { paging: { next: { after: toCursor(last) } } } : {}),
    },
  };
}

/** The cursor is opaque to clients. */
function toCursor(recordId: string): string {
  return Buffer.from(recordId).toString('base64');
}

function readCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64').toString();
  if (!/^\d+$/.test(text)) throw new Refusal(400, `Invalid offset: ${cursor}`);
  return Number(text);
}
