import { asList, asObject } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import { type EventWrite, failOptionalPart } from './event-write.ts';
import { HUBSPOT_PATHS } from './paths.ts';
import type { HubspotSession } from './session.ts';

const PAGE_SIZE = 500;
/** Prevents endless pages; no account has so many users. */
const PAGES_MAX = 40;

/**
 * Returns the id of the first candidate of the event's plan that the account has as a user, or null. All users are read at
 * once, because sequencers send from many mailboxes.
 */
export async function findOwner(session: HubspotSession, event: EventWrite): Promise<string | null> {
  const { owner } = event.write.plan;
  if (owner === null) return null;
  try {
    // Also a refusal is shared by the events of the batch.
    session.owners ??= session.caches.owners.get(session.accountKey, () => readOwners(session));
    const owners = await session.owners;
    return owner.candidates.map((candidate) => owners.get(candidate)).find((id) => id !== undefined) ?? null;
  } catch (error) {
    if (!(error instanceof CrmFailure)) throw error;
    failOptionalPart(event, error);
    return null;
  }
}

async function readOwners({ client }: HubspotSession): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(after === null ? {} : { after }) });
    const { body } = await client.call({
      operation: 'owners',
      method: 'GET',
      path: `${HUBSPOT_PATHS.owners}?${query}`,
      part: 'the look-up of the owner',
    });
    const { results, paging } = asObject(body);
    for (const result of asList(results)) {
      const { id, email } = asObject(result);
      if (typeof id === 'string' && typeof email === 'string') owners.set(email.toLowerCase(), id);
    }
    const next = asObject(asObject(paging)['next'])['after'];
    if (typeof next !== 'string' || next === after) break;
    after = next;
  }
  return owners;
}
