import { asText, type Fields } from '../http/answer-values.ts';
import type { CrmRecord } from '../port/types.ts';
import type { SalesforceQuery } from './client.ts';
import type { EventWrite, SalesforceSession } from './session.ts';
import { isIn } from './soql.ts';
import { isId } from './values.ts';

/** The users of the org who may own what is written, by email. Inactive users cannot own anything. */

const REMEMBERED_MS = 60 * 60 * 1000;
/** Remembered for an address that no active user has. */
const NOBODY = 'nobody';

export interface Owners {
  /** Ids of users by email in lower case. */
  ids: Map<string, string>;
  /** Emails that are not known yet. */
  unknown: string[];
}

export async function recallOwners(session: SalesforceSession, events: readonly EventWrite[]): Promise<Owners> {
  const emails = [...new Set(events.flatMap(candidatesOf))];
  const owners: Owners = { ids: new Map(), unknown: [] };
  if (emails.length === 0) return owners;
  const remembered = await session.records.read(emails.map(toKey));
  for (const email of emails) {
    const known = remembered.get(toKey(email));
    if (known === undefined || session.now().getTime() - known.checkedAt.getTime() > REMEMBERED_MS)
      owners.unknown.push(email);
    else if (known.recordId !== NOBODY) owners.ids.set(email, known.recordId);
  }
  return owners;
}

export function ownersQuery({ unknown }: Owners): SalesforceQuery[] {
  if (unknown.length === 0) return [];
  const soql = `SELECT Id, Email FROM User WHERE ${isIn('Email', unknown)} AND IsActive = true ORDER BY CreatedDate, Id`;
  return [{ soql, part: 'the search for the owner' }];
}

/** Takes the rows of the query; the oldest user of an address wins. */
export async function learnOwners(session: SalesforceSession, owners: Owners, rows: readonly Fields[]): Promise<void> {
  for (const { Email, Id } of rows) {
    const email = asText(Email)?.toLowerCase();
    if (email !== undefined && isId(Id) && !owners.ids.has(email)) owners.ids.set(email, Id);
  }
  const checkedAt = session.now();
  await session.records.write(
    owners.unknown.map((email): CrmRecord => {
      const recordId = owners.ids.get(email) ?? NOBODY;
      return {
        identity: toKey(email),
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

/** Returns the first candidate of an event's plan that is a user; null when its plan has no owner or none is a user. */
export function ownerOf(event: EventWrite, { ids }: Owners): string | null {
  return (
    candidatesOf(event)
      .map((email) => ids.get(email))
      .find((id) => id !== undefined) ?? null
  );
}

function candidatesOf({ write: { plan } }: EventWrite): readonly string[] {
  return plan.owner?.candidates ?? [];
}

function toKey(email: string): string {
  return `owner:${email}`;
}
