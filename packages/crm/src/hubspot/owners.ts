import { asList, asObject } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { HubspotClient } from './client.ts';
import { type BatchContact, type EventWrite, failOptionalPart, fills } from './event-write.ts';
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
  if (event.ownerId === undefined) event.ownerId = await lookUpOwner(session, event);
  return event.ownerId;
}

/**
 * Returns who may own the contact, with the event that says so, the best first: the last event whose owner replaces others,
 * else the first one. None when the contact stays as it is.
 */
export async function listContactOwners(
  session: HubspotSession,
  contact: BatchContact,
): Promise<{ value: string; event: EventWrite }[]> {
  const { events, ownerId } = contact;
  const ifEmpty: { value: string; event: EventWrite }[] = [];
  const always: typeof ifEmpty = [];
  for (const event of events) {
    const rule = event.write.plan.owner?.contact ?? 'never';
    const isAsked = rule === 'always' || (rule === 'if-empty' && ownerId === null);
    // A HubSpot that did not answer to the read is not asked for owners.
    if (!isAsked || event.failure !== null || !fills(event, contact)) continue;
    const value = await findOwner(session, event);
    if (value !== null) (rule === 'always' ? always : ifEmpty).push({ value, event });
  }
  const owners = [...always.toReversed(), ...ifEmpty];
  return owners[0]?.value === ownerId ? [] : owners;
}

async function lookUpOwner(session: HubspotSession, event: EventWrite): Promise<string | null> {
  const { owner } = event.write.plan;
  if (owner === null) return null;
  try {
    // Also a refusal is shared by the events of the batch.
    session.owners ??= session.caches.owners.get(session.accountKey, () => readOwners(session.client));
    const owners = await session.owners;
    return owner.candidates.map((candidate) => owners.get(candidate)).find((id) => id !== undefined) ?? null;
  } catch (error) {
    if (!(error instanceof CrmFailure)) throw error;
    failOptionalPart(event, error);
    return null;
  }
}

/** Returns the ids of the active owners by address and by id. An owner's id is not that of the user (`userId`), which HubSpot refuses. */
export async function readOwners(client: HubspotClient): Promise<ReadonlyMap<string, string>> {
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
      if (typeof id !== 'string') continue;
      owners.set(id, id);
      if (typeof email === 'string') owners.set(email.toLowerCase(), id);
    }
    const next = asObject(asObject(paging)['next'])['after'];
    if (typeof next !== 'string' || next === after) break;
    after = next;
  }
  return owners;
}
