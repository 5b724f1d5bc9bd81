import { asText } from '../http/answer-values.ts';
import type { CrmOwnerRead } from '../port/types.ts';
import { toIdentity } from './identity.ts';
import { matchPeople, peopleQueries, type Person } from './people.ts';
import type { SalesforceSession } from './session.ts';
import { isIn } from './soql.ts';
import { isId } from './values.ts';

const USER_PREFIX = '005';

/**
 * Returns the address of an active user: who owns the contact or lead now, or who has the id. The person is found as a write finds them. Queues
 * have no address. Calls: one for the person, one for the user.
 *
 * @throws CrmFailure
 */
export async function readOwner(session: SalesforceSession, of: CrmOwnerRead['of']): Promise<string | null> {
  const id = 'userId' in of ? of.userId : await readOwnerId(session, of.event);
  if (!isId(id, USER_PREFIX)) return null;
  const soql = `SELECT Id, Email FROM User WHERE ${isIn('Id', [id])} AND IsActive = true`;
  const [users = []] = await session.client.query([{ soql, part: 'the search for the owner' }]);
  return asText(users[0]?.['Email'])?.toLowerCase() ?? null;
}

async function readOwnerId(
  session: SalesforceSession,
  event: Parameters<typeof toIdentity>[0],
): Promise<string | null> {
  const identity = toIdentity(event);
  const person: Person = { identity, events: [], newType: 'Contact', record: null, isUrlTaken: false };
  const rows = await session.client.query(peopleQueries(session, [person]));
  await matchPeople(session, [person], rows.flat());
  return person.record?.ownerId ?? null;
}
