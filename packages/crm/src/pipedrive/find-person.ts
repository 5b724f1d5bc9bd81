import { asList, asObject, asText } from '../http/answer-values.ts';
import { emailOf } from '@svc/domain/contacts/event-contact';
import type { InboundEvent } from '@svc/sequencers';
import { asId, readPages } from './client.ts';
import { toHandle, usableProfileUrl } from './identities.ts';
import { PERSON, type PersonDetails, readPerson, toPerson } from './person.ts';
import { ownUrlField } from './person-details.ts';
import { type PipedriveSession, toSince } from './session.ts';

/** Looks for the person of an event in Pipedrive. */

/** Search shows a lossy view, so the address is compared and the record read. Of several, the oldest is used. */
export async function searchPerson(session: PipedriveSession, event: InboundEvent): Promise<PersonDetails | null> {
  const email = emailOf(event);
  const url = usableProfileUrl(event);
  const term = email ?? url;
  if (term === null) return null;
  const code = email === null ? await ownUrlField(session, []) : null;
  if (email === null && code === null) return null;
  const fields = email === null ? 'custom_fields' : 'email';
  const query = new URLSearchParams({ term, fields, exact_match: 'true', limit: '10' });
  const path = `/api/v2/persons/search?${query}`;
  const { data } = await session.client.call({
    ...{ operation: 'persons_search', method: 'GET', kind: 'search', path, part: PERSON },
  });
  const ids = asList(asObject(data)['items']).flatMap((entry) => {
    const { id, emails } = asObject(asObject(entry)['item']);
    const isMatch = email === null || asList(emails).some((text) => asText(text)?.toLowerCase() === email);
    return isMatch ? (asId(id) ?? []) : [];
  });
  for (const id of ids.toSorted((a, b) => a - b)) {
    const details = await readPerson(session.client, id);
    if (details !== null && hasIdentity(details, event, code)) return details;
  }
  return null;
}

/** Looks for a person among those that were made or changed since then. */
export async function findNewPerson(
  session: PipedriveSession,
  event: InboundEvent,
  since: Date,
): Promise<PersonDetails | null> {
  const code = emailOf(event) === null ? await ownUrlField(session, []) : null;
  const path = `/api/v2/persons?updated_since=${toSince(since)}&sort_by=id&limit=500`;
  for await (const { items } of readPages(session.client, { operation: 'persons_read', path, part: PERSON })) {
    const found = items.map(toPerson).find((details) => hasIdentity(details, event, code));
    if (found !== undefined) return found;
  }
  return null;
}

function hasIdentity({ emails, name, customFields }: PersonDetails, event: InboundEvent, code: string | null): boolean {
  const [email, url] = [emailOf(event), usableProfileUrl(event)];
  if (email !== null) return emails.includes(email);
  if (code !== null && url !== null) return asText(customFields[code])?.toLowerCase() === url.toLowerCase();
  // Without a value in our field, the name that we gave is all there is.
  return emails.length === 0 && name === toHandle(event.toEmail);
}
