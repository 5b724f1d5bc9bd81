import { asList, asObject } from './records.ts';
import type { HubspotSession } from './session.ts';

/** Returns the id of the account's user with this address, or null. Both results are cached. */
export function readOwnerId({ client, caches, accountKey }: HubspotSession, email: string): Promise<string | null> {
  return caches.owners.get(`${accountKey}/${email}`, async () => {
    const path = `/crm/v3/owners?email=${encodeURIComponent(email)}&limit=1`;
    const { body } = await client.call({ method: 'GET', path, part: 'the look-up of the owner' });
    const { id } = asObject(asList(asObject(body)['results'])[0]);
    return typeof id === 'string' ? id : null;
  });
}
