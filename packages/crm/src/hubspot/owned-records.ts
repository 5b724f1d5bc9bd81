import { CrmFailure } from '../http/http-failure.ts';
import { OWNER } from './contact-details.ts';
import type { OwnPropertyName } from './properties.ts';
import type { HubspotRecord, RecordsOf, UpsertInput } from './records.ts';
import { type HubspotSession, upsertByOwnProperty } from './session.ts';

export interface OwnedInput extends UpsertInput {
  ownerId: string | null;
}

/**
 * Upserts records with their owners. HubSpot's guides (developers.hubspot.com, looked up on 2026-11-26) name the property
 * `hubspot_owner_id` for emails, notes, communications and tasks; for calls, public integrations do. HubSpot's OpenAPI documents
 * list no properties. Nobody has verified it against the live service.
 *
 * A record is worth more than its owner: when HubSpot refuses the owner, who may be deactivated since the users were read,
 * the record is written without one.
 *
 * @param onRefusedOwner called with the index of an input whose owner is refused
 * @returns one record or failure per input, in order
 */
export async function upsertWithOwners(
  session: HubspotSession,
  records: RecordsOf & { idProperty: OwnPropertyName },
  inputs: readonly OwnedInput[],
  onRefusedOwner: (index: number, failure: CrmFailure) => void,
): Promise<(HubspotRecord | CrmFailure)[]> {
  const answers = await upsertByOwnProperty(
    session,
    records,
    inputs.map(({ ownerId, ...input }) => ({
      ...input,
      properties: { ...input.properties, ...(ownerId === null ? {} : { [OWNER]: ownerId }) },
    })),
  );
  const refused = inputs.flatMap(({ ownerId, ...input }, index) => {
    const answer = answers[index];
    if (ownerId === null || !(answer instanceof CrmFailure) || !answer.isRefusal) return [];
    if (!answer.message.includes(` for ${OWNER}`)) return [];
    onRefusedOwner(index, answer);
    return [{ index, input }];
  });
  const better = await upsertByOwnProperty(
    session,
    records,
    refused.map(({ input }) => input),
  );
  for (const [position, { index }] of refused.entries()) {
    const answer = better[position];
    if (answer !== undefined) answers[index] = answer;
  }
  return answers;
}
