import { asList, asObject, asText } from '../http/answer-values.ts';
import { asId, type PipedriveClient, unexpected } from './client.ts';

/** A person as Pipedrive shows it. */
export interface PersonDetails {
  id: number;
  name: string;
  ownerId: number | null;
  organizationId: number | null;
  /** In lower case. */
  emails: readonly string[];
  phones: readonly string[];
  labelIds: readonly number[];
  /** By the code of the field. */
  customFields: Readonly<Record<string, unknown>>;
}

export const PERSON = 'the person';

/** Returns the person; null when it is deleted, merged into another one, or was never there. */
export async function readPerson(client: PipedriveClient, id: number): Promise<PersonDetails | null> {
  const call = { operation: 'persons_read', method: 'GET', path: `/api/v2/persons/${id}`, kind: 'get' } as const;
  const { status, data } = await client.call({ ...call, part: PERSON, accept: [404, 410] });
  return status >= 400 || asObject(data)['is_deleted'] === true ? null : toPerson(data);
}

/** @throws CrmFailure when the value has no id */
export function toPerson(data: unknown): PersonDetails {
  const { id, name, owner_id, org_id, emails, phones, label_ids, custom_fields } = asObject(data);
  const personId = asId(id);
  if (personId === null) throw unexpected(PERSON);
  return {
    id: personId,
    name: asText(name) ?? '',
    ownerId: asId(owner_id),
    organizationId: asId(org_id),
    emails: valuesOf(emails).map((email) => email.toLowerCase()),
    phones: valuesOf(phones),
    labelIds: asList(label_ids).flatMap((label) => asId(label) ?? []),
    customFields: asObject(custom_fields),
  };
}

function valuesOf(list: unknown): string[] {
  return asList(list).flatMap((item) => asText(asObject(item)['value']) ?? []);
}
