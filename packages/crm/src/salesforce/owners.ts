import { asText, type Fields } from '../http/answer-values.ts';
import type { CrmRecord, RememberedUsers } from '../port/types.ts';
import type { SalesforceQuery } from './client.ts';
import type { EventWrite, SalesforceSession } from './session.ts';
import { anyOf, isIn } from './soql.ts';
import { isId, toLongId } from './values.ts';

/**
 * The users of the org who may own what is written. A plan names them by address or by id, in the order of preference. Inactive users
 * cannot own anything.
 *
 * Every record of Salesforce has an owner: a new record without one gets the user of the connection. So "only if it has no owner" means
 * that only new records get the owner.
 */

const REMEMBERED_MS = 60 * 60 * 1000;
/** Remembered for an address or id that no active user has. */
const NOBODY = 'nobody';
const USER_PREFIX = '005';

export interface Owners {
  /** Ids of users by what a plan may call them: the address in lower case, or the id of 18 characters. */
  ids: Map<string, string>;
  /** Names that are not known yet. */
  unknown: string[];
}

export async function recallOwners(session: SalesforceSession, events: readonly EventWrite[]): Promise<Owners> {
  const names = [...new Set(events.flatMap(namesOf))];
  const owners: Owners = { ids: new Map(), unknown: [] };
  if (names.length === 0) return owners;
  const remembered = await session.records.read(names.map(toKey));
  for (const name of names) {
    const known = remembered.get(toKey(name));
    if (known === undefined || session.now().getTime() - known.checkedAt.getTime() > REMEMBERED_MS)
      owners.unknown.push(name);
    else if (known.recordId !== NOBODY) owners.ids.set(name, known.recordId);
  }
  return owners;
}

export function ownersQuery({ unknown }: Owners): SalesforceQuery[] {
  if (unknown.length === 0) return [];
  const [emails, ids] = [unknown.filter(isEmail), unknown.filter((name) => !isEmail(name))];
  const isNamed = anyOf([
    ...(emails.length > 0 ? [isIn('Email', emails)] : []),
    ...(ids.length > 0 ? [isIn('Id', ids)] : []),
  ]);
  const soql = `SELECT Id, Email FROM User WHERE ${isNamed} AND IsActive = true ORDER BY CreatedDate, Id`;
  return [{ soql, part: 'the search for the owner' }];
}

/** Takes the rows of the query; the oldest user of an address wins. */
export async function learnOwners(session: SalesforceSession, owners: Owners, rows: readonly Fields[]): Promise<void> {
  for (const { Email, Id } of rows) {
    if (!isId(Id)) continue;
    const id = toLongId(Id);
    for (const name of [id, asText(Email)?.toLowerCase()]) {
      if (name !== undefined && owners.unknown.includes(name) && !owners.ids.has(name)) owners.ids.set(name, id);
    }
  }
  const checkedAt = session.now();
  await session.records.write(
    owners.unknown.map((name): CrmRecord => {
      const recordId = owners.ids.get(name) ?? NOBODY;
      return {
        identity: toKey(name),
        recordType: 'User',
        recordId,
        detailsHash: null,
        ownerId: null,
        companyId: null,
        checkedAt,
      };
    }),
  );
}

/**
 * Returns who owns a contact or lead that these events create: as when they are written one by one, the last one that always sets the
 * owner, else the first one that knows an owner; null for the user of the connection.
 */
export function newOwnerOf(events: readonly EventWrite[], owners: Owners): string | null {
  const first = events.filter((event) => (event.write.plan.owner?.contact ?? 'never') !== 'never');
  return ownerToSet(events, owners) ?? firstOwnerOf(first, owners);
}

/** Returns who becomes the owner of an existing contact or lead; null: it keeps its owner. */
export function ownerToSet(events: readonly EventWrite[], owners: Owners): string | null {
  return firstOwnerOf(events.filter(alwaysSetsOwner).toReversed(), owners);
}

/** Returns whether these events may give an existing record, whose owner is known, another one. */
export function mayChangeOwner(ownerId: string | null, events: readonly EventWrite[], owners: Owners): boolean {
  const isUnknown = events
    .filter(alwaysSetsOwner)
    .flatMap(namesOf)
    .some((name) => owners.unknown.includes(name));
  const wanted = ownerToSet(events, owners);
  return isUnknown || (wanted !== null && !isSameUser(wanted, ownerId));
}

/** Returns who owns the tasks of an event; null when its plan does not say. */
export function activityOwnerOf(event: EventWrite, owners: Owners): string | null {
  return event.write.plan.owner?.activities === true ? ownerOf(event, owners) : null;
}

/** Returns who owns an account that these events create; null for the user of the connection. */
export function accountOwnerOf(events: readonly EventWrite[], owners: Owners): string | null {
  return firstOwnerOf(
    events.filter(({ write }) => write.plan.owner?.companies === true),
    owners,
  );
}

export function isSameUser(id: string, other: string | null): boolean {
  return other !== null && toLongId(id) === toLongId(other);
}

function alwaysSetsOwner({ write: { plan } }: EventWrite): boolean {
  return plan.writes.fields && plan.owner?.contact === 'always';
}

function firstOwnerOf(events: readonly EventWrite[], owners: Owners): string | null {
  return events.map((event) => ownerOf(event, owners)).find((id) => id !== null) ?? null;
}

/** Returns the first candidate of an event's plan that is a user; null when its plan has no owner or none is a user. */
export function ownerOf(event: EventWrite, { ids }: Owners): string | null {
  return (
    namesOf(event)
      .map((name) => ids.get(name))
      .find((id) => id !== undefined) ?? null
  );
}

/**
 * Returns the candidates that can be a user of the org. A text that is neither an address nor an id of a user is no candidate:
 * Salesforce would refuse the query with it, and with the query the batch. Case matters in ids, and the last three of 18 characters
 * tell whether it is right.
 */
function namesOf({ write: { plan } }: EventWrite): readonly string[] {
  return (plan.owner?.candidates ?? []).flatMap((candidate) => {
    if (isEmail(candidate)) return [candidate];
    const isUser = isId(candidate, USER_PREFIX) && toLongId(candidate.slice(0, 15)).startsWith(candidate);
    return isUser ? [toLongId(candidate)] : [];
  });
}

function isEmail(name: string): boolean {
  return name.includes('@');
}

function toKey(name: string): string {
  return `owner:${name}`;
}

export const SALESFORCE_USERS: RememberedUsers = {
  identityOf: toKey,
  isUser: ({ recordId }) => recordId !== NOBODY,
};
