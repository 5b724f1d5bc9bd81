import { emailOf } from '@svc/domain/contacts/event-contact';
import type { InboundEvent } from '@svc/sequencers';
import { asList, asObject, asText } from '../http/answer-values.ts';
import type { CrmOwnerRead } from '../port/types.ts';
import { asId, type PipedriveClient } from './client.ts';
import { searchPerson } from './find-person.ts';
import { personIdentities } from './identities.ts';
import { readPerson } from './person.ts';
import type { PipedriveSession } from './session.ts';

/**
 * Returns the address of an active user: who owns the person now, or who has the id.
 *
 * Calls: one for the person, a search before it when the person is not remembered.
 *
 * @param readAddresses the addresses of active users by id
 * @throws CrmFailure
 */
export async function readOwner(
  session: PipedriveSession,
  readAddresses: () => Promise<ReadonlyMap<number, string>>,
  of: CrmOwnerRead['of'],
): Promise<string | null> {
  const id = 'userId' in of ? asId(Number(of.userId)) : await readOwnerId(session, of.event);
  return id === null ? null : ((await readAddresses()).get(id) ?? null);
}

async function readOwnerId(session: PipedriveSession, event: InboundEvent): Promise<number | null> {
  const identities = personIdentities(event);
  await session.records.load(identities);
  const known = identities.map((identity) => session.records.get(identity)).find((record) => record !== null);
  const person = known === undefined ? null : await readPerson(session.client, Number(known.recordId));
  if (person !== null) return person.ownerId;
  // A search by profile URL would create the field for it.
  return emailOf(event) === null ? null : ((await searchPerson(session, event))?.ownerId ?? null);
}

/** Returns the addresses of the active users by id. */
export async function readUserAddresses(client: PipedriveClient): Promise<ReadonlyMap<number, string>> {
  const call = { operation: 'users', method: 'GET', path: '/api/v1/users', kind: 'list' } as const;
  const { data } = await client.call({ ...call, part: 'the look-up of the owner' });
  return new Map(
    asList(data).flatMap((item) => {
      const { id, email, active_flag } = asObject(item);
      const [userId, address] = [asId(id), asText(email)];
      return userId === null || address === null || active_flag !== true ? [] : [[userId, address.toLowerCase()]];
    }),
  );
}
