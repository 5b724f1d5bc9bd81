import { CrmFailure } from '../http/http-failure.ts';
import type { AccountCache } from '../records/account-cache.ts';
import type { CrmOwnerRead } from '../port/types.ts';
import type { HubspotClient } from './client.ts';
import { OWNER, toIdentity } from './contact-details.ts';
import { readOwners } from './owners.ts';
import { readRecords } from './records.ts';

/**
 * Returns the address of an active user: who owns the contact now, or who has the id. The contact is read each time; the account's users are
 * read at most every ten minutes.
 *
 * @throws CrmFailure
 */
export async function readOwner(
  client: HubspotClient,
  owners: { cache: AccountCache<ReadonlyMap<string, string>>; accountKey: string },
  of: CrmOwnerRead['of'],
): Promise<string | null> {
  const id = 'userId' in of ? of.userId : await readOwnerId(client, of.event);
  if (id === null) return null;
  const users = await owners.cache.get(owners.accountKey, () => readOwners(client));
  return [...users].find(([name, userId]) => userId === id && name.includes('@'))?.[0] ?? null;
}

async function readOwnerId(client: HubspotClient, event: Parameters<typeof toIdentity>[0]): Promise<string | null> {
  const { idProperty, id } = toIdentity(event);
  const contacts = { operation: 'contacts_read', objectType: 'contacts', idProperty, part: 'the contact' } as const;
  try {
    const [contact] = await readRecords(client, contacts, [id], [OWNER]);
    const owner = contact?.properties[OWNER];
    return typeof owner === 'string' && owner !== '' ? owner : null;
  } catch (error) {
    // The account has no property for profile URLs, so no contact is known by one.
    if (idProperty !== 'email' && error instanceof CrmFailure && error.error.httpStatus === 400) return null;
    throw error;
  }
}
