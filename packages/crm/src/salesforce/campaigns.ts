import { asText, type Fields } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { SalesforceRecord } from './client.ts';
import type { PersonRecord } from './people.ts';
import { type EventWrite, failEvents, isOpen, type SalesforceSession, warnEvents } from './session.ts';
import { anyOf, isIn } from './soql.ts';
import { isStaleOnce } from './stale.ts';
import { isId, toLongId } from './values.ts';

/** Members of campaigns: one per person and campaign, with the status that the last event gives it. */

interface WantedMember {
  event: EventWrite;
  person: PersonRecord;
  campaignId: string;
  /** Null: a new member gets the campaign's own status, and another one keeps its status. */
  status: string | null;
}

const PART = 'the member of the campaign';
const UNKNOWN_CAMPAIGN = {
  code: 'unknown_campaign',
  message:
    'The policy names a campaign by something else than its id, which begins with 701 and has 15 or 18 characters',
  httpStatus: null,
};

/** Makes or changes the members that the events ask for. A refusal is a warning. @throws CrmFailure for every other failure */
export async function writeMembers(
  session: SalesforceSession,
  events: readonly EventWrite[],
  recordOf: (event: EventWrite) => PersonRecord | null,
): Promise<void> {
  const wanted = new Map<string, WantedMember>();
  for (const event of events.filter(isOpen)) {
    const person = recordOf(event);
    for (const { id, status } of event.write.plan.outcomes?.campaigns ?? []) {
      if (person === null) continue;
      if (!isId(id, '701')) {
        warnEvents([event], UNKNOWN_CAMPAIGN);
        continue;
      }
      const campaignId = toLongId(id);
      const key = `${campaignId} ${person.id}`;
      // The event whose status counts is repeated after a failure.
      if (status !== null || !wanted.has(key)) wanted.set(key, { event, person, campaignId, status });
    }
  }
  if (wanted.size === 0) return;
  try {
    await writeWanted(session, [...wanted.values()]);
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    warnEvents([...new Set([...wanted.values()].map(({ event }) => event))], error.error);
  }
}

async function writeWanted(session: SalesforceSession, wanted: readonly WantedMember[]): Promise<void> {
  const known = await findMembers(session, wanted);
  const missing = wanted.filter((member) => known.get(keyOf(member)) === undefined);
  await write(
    session,
    missing.map((member) => ({ member, record: { type: 'CampaignMember', values: toNewMember(member) } })),
  );
  const changed = wanted.flatMap((member) => {
    const row = known.get(keyOf(member));
    const id = asText(row?.['Id']);
    if (id === null || member.status === null || row?.['Status'] === member.status) return [];
    return [{ member, record: { type: 'CampaignMember', id, values: { Status: member.status } } }];
  });
  await write(session, changed);
}

function toNewMember({ campaignId, person, status }: WantedMember): Fields {
  return {
    CampaignId: campaignId,
    [person.type === 'Lead' ? 'LeadId' : 'ContactId']: person.id,
    ...(status === null ? {} : { Status: status }),
  };
}

function keyOf({ campaignId, person }: WantedMember): string {
  return `${campaignId} ${person.id}`;
}

/** Returns the rows of members by campaign and person. */
async function findMembers(
  { client }: SalesforceSession,
  wanted: readonly WantedMember[],
): Promise<ReadonlyMap<string, Fields>> {
  const idsOf = (type: PersonRecord['type']) => [
    ...new Set(wanted.flatMap(({ person }) => (person.type === type ? [person.id] : []))),
  ];
  const [contacts, leads] = [idsOf('Contact'), idsOf('Lead')];
  const ofPeople = anyOf([
    ...(contacts.length === 0 ? [] : [isIn('ContactId', contacts)]),
    ...(leads.length === 0 ? [] : [isIn('LeadId', leads)]),
  ]);
  const ofCampaigns = isIn('CampaignId', [...new Set(wanted.map(({ campaignId }) => campaignId))]);
  const soql = `SELECT Id, CampaignId, ContactId, LeadId, Status FROM CampaignMember WHERE ${ofCampaigns} AND ${ofPeople} ORDER BY CreatedDate, Id`;
  const [rows = []] = await client.query([{ soql, part: `the search for ${PART}` }]);
  return new Map(
    rows.flatMap((row) =>
      // A lead that was converted stays the member that it was, as the contact.
      [row['ContactId'], row['LeadId']].flatMap((id): [string, Fields][] => {
        const [campaignId, personId] = [asText(row['CampaignId']), asText(id)];
        return campaignId === null || personId === null ? [] : [[`${toLongId(campaignId)} ${personId}`, row]];
      }),
    ),
  );
}

async function write(
  { client }: SalesforceSession,
  writes: readonly { member: WantedMember; record: SalesforceRecord }[],
): Promise<void> {
  if (writes.length === 0) return;
  const results = await client.write(
    writes.map(({ record }) => record),
    { operation: 'members_write', part: PART },
  );
  for (const [index, { member }] of writes.entries()) {
    const result = results[index];
    if (result === undefined || result.isWritten) continue;
    if (!result.failure.isRefusal || isStaleOnce(result.failure, member.event))
      failEvents([member.event], result.failure);
    // DUPLICATE_VALUE: the person has become a member since the search, so there is nothing to warn about.
    else if (result.problem.code !== 'DUPLICATE_VALUE') warnEvents([member.event], result.failure.error);
  }
}
