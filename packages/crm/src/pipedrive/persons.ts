import type { InboundEvent } from '@svc/sequencers';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmRecord, CrmWrite } from '../port/types.ts';
import { findNewPerson, searchPerson } from './find-person.ts';
import { emailOf } from '@svc/domain/contacts/event-contact';
import { personIdentities } from './identities.ts';
import { type PersonDetails, readPerson } from './person.ts';
import {
  createPerson,
  type Detail,
  fillPerson,
  listDetails,
  patchPerson,
  readBlanks,
  wantedDetails,
} from './person-details.ts';
import { forgetPersonFields } from './person-fields.ts';
import { lackingValues, resolveValues, settleValues, unsettled, withoutReplaced } from './person-values.ts';
import {
  createOnce,
  findUnconfirmed,
  type PipedriveSession,
  toRecord,
  tryOptionalPart,
  type Warnings,
} from './session.ts';
import { findWrittenPersonId } from './written-parts.ts';

/**
 * Finds, creates and completes the person of an event.
 *
 * 1. The person's key is the email, or for social-only events the profile URL in a field of our own. Pipedrive has no
 *    unique fields, and a search costs four times what a write does, so ids are remembered for good.
 * 2. Existing data wins: only blanks are filled, so the record is read first. The names of filled details are
 *    remembered, so that events without new details cost no read. After a week the record is read again.
 * 3. `person-details.ts` says which details are written, `person-values.ts` which fields of a policy.
 * 4. An event that was written before stays with its person, who is neither looked for nor completed again.
 * 5. A person whom the plan does not create is looked for in the same way. That there is none is not remembered.
 */

export interface Person {
  id: number;
  ownerId: number | null;
  organizationId: number | null;
  /** Details that the person is known to have, or that Pipedrive refused. */
  settled: ReadonlySet<Detail>;
  /** Whether Pipedrive has shown the person in this attempt. */
  isFresh: boolean;
}

/** A person that was deleted or changed meanwhile is noticed after this time, or when Pipedrive refuses a write to it. */
const RECHECK_MS = 7 * 24 * 60 * 60 * 1000;

/** Returns the ids of the known persons that these events need to read. */
export async function listPersonsToRead(session: PipedriveSession, writes: readonly CrmWrite[]): Promise<number[]> {
  const ids = new Set<number>();
  for (const write of writes) {
    if (findWrittenPersonId(session, write) !== null) continue;
    const known = findKnown(session, write.event);
    if (known !== null && (await needsRead(session, write, known))) ids.add(Number(known.recordId));
  }
  return [...ids];
}

/**
 * Returns the person of an event, with blanks filled; null when Pipedrive has none and the plan creates none.
 *
 * @throws CrmFailure
 */
export async function writePerson(
  session: PipedriveSession,
  write: CrmWrite,
  warnings: Warnings,
): Promise<Person | null> {
  const writtenId = findWrittenPersonId(session, write);
  if (writtenId !== null) return writtenPerson(session, write.event, writtenId);
  const known = findKnown(session, write.event);
  if (known === null) return findOrCreate(session, write, warnings);
  if (!(await needsRead(session, write, known))) return writeLastValues(session, write, known, warnings);
  const details =
    session.persons.get(Number(known.recordId)) ?? (await readPerson(session.client, Number(known.recordId)));
  if (details === null) await forgetPerson(session, write.event, known);
  if (details === null || !isPersonOf(write.event, details, known)) return findOrCreate(session, write, warnings);
  return complete(session, write, details, withoutReplaced(fromRecord(known).settled), warnings);
}

/** The person of an event that an earlier attempt has written, or may have: the person was completed before. */
function writtenPerson({ records }: PipedriveSession, event: InboundEvent, id: number): Person {
  const known = personIdentities(event).map((identity) => records.get(identity));
  const record = known.find((one) => one?.recordId === String(id)) ?? null;
  return record === null
    ? { id, ownerId: null, organizationId: null, settled: new Set(), isFresh: false }
    : fromRecord(record);
}

/** Writes the last values of a remembered person, who need not be read for it. That they are refused is a warning. */
async function writeLastValues(
  session: PipedriveSession,
  write: CrmWrite,
  known: CrmRecord,
  warnings: Warnings,
): Promise<Person | null> {
  const person = fromRecord(known);
  if (write.lastValues === null || !write.plan.writes.fields) return person;
  const { lastValues } = await resolveValues(session, write);
  if (unsettled(lastValues, person.settled).length === 0) return person;
  const body = { custom_fields: Object.fromEntries(lastValues.map(({ code, value }) => [code, value])) };
  try {
    const details = await patchPerson(session, person.id, body, 'the last values of the person');
    const written = toState(details, settleValues(person.settled, lastValues));
    // The person still has to be read after a week.
    const records = toRecords(session, write.event, written);
    await session.records.write(records.map((record) => ({ ...record, checkedAt: known.checkedAt })));
    await forgetReplaced(session, write.event, details);
    return written;
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    if (error.error.httpStatus === 404 || error.error.httpStatus === 410) {
      await forgetPerson(session, write.event, known);
      return findOrCreate(session, write, warnings);
    }
    // A field may be deleted.
    await forgetPersonFields(session);
    warnings.push(error.error);
    return person;
  }
}

/**
 * Looks whether a person that was only remembered still is what it was.
 *
 * @returns the person as it is now; null when Pipedrive has none any more and the plan creates none
 */
export async function refreshPerson(
  session: PipedriveSession,
  write: CrmWrite,
  person: Person,
  warnings: Warnings,
): Promise<Person | 'unchanged' | null> {
  if (person.isFresh) return 'unchanged';
  const details = await readPerson(session.client, person.id);
  if (details !== null && details.organizationId === person.organizationId) return 'unchanged';
  if (details !== null) return complete(session, write, details, person.settled, warnings);
  await forgetPerson(session, write.event, findKnown(session, write.event));
  return findOrCreate(session, write, warnings);
}

/** Sets the person's own mark of an opt-out. Refused without the add-on Campaigns, so it is an optional part. */
export async function markUnsubscribed(session: PipedriveSession, write: CrmWrite, person: Person, warnings: Warnings) {
  if (person.settled.has('unsubscribed')) return;
  await tryOptionalPart(warnings, async () => {
    await patchPerson(session, person.id, { marketing_status: 'unsubscribed' }, 'the marketing status');
  });
  await remember(session, write.event, { ...person, settled: new Set([...person.settled, 'unsubscribed']) });
}

/** The record by email, else by profile URL. */
function findKnown({ records }: PipedriveSession, event: InboundEvent): CrmRecord | null {
  for (const identity of personIdentities(event)) {
    const record = records.get(identity);
    if (record !== null) return record;
  }
  return null;
}

async function needsRead(session: PipedriveSession, write: CrmWrite, known: CrmRecord): Promise<boolean> {
  if (session.now().getTime() - known.checkedAt.getTime() > RECHECK_MS) return true;
  // Known by its profile URL only: the address has to be compared or added.
  if (emailOf(write.event) !== null && !known.identity.startsWith('email:')) return true;
  const person = fromRecord(known);
  if ((await wantedDetails(session, write, person)).length > 0) return true;
  if (!write.plan.writes.fields || write.fields.length === 0) return false;
  return unsettled((await resolveValues(session, write)).fields, person.settled).length > 0;
}

/** A person found by its profile URL is somebody else when it has addresses, but not that of the event. */
function isPersonOf(event: InboundEvent, { emails }: PersonDetails, known: CrmRecord): boolean {
  const email = emailOf(event);
  if (email === null || known.identity.startsWith('email:')) return true;
  return emails.length === 0 || emails.includes(email);
}

async function findOrCreate(session: PipedriveSession, write: CrmWrite, warnings: Warnings): Promise<Person | null> {
  const { event } = write;
  const [identity = ''] = personIdentities(event);
  // Unconfirmed: `createOnce` looks into the list of new persons, because search may not show them yet.
  const isPending = session.records.pendingSince(identity) !== null;
  const found = isPending ? null : await searchPerson(session, event);
  if (found !== null) return complete(session, write, found, new Set(), warnings);
  const find = async (since: Date) => {
    const details = await findNewPerson(session, event, since);
    return details === null ? null : { details, values: [], isFound: true };
  };
  if (!write.plan.mayCreate) {
    const unconfirmed = await findUnconfirmed(session.records, identity, find);
    return unconfirmed && complete(session, write, unconfirmed.details, new Set(), warnings);
  }
  const created = await createOnce(session, {
    identity,
    recordType: 'person',
    find,
    create: async () => ({ ...(await createPerson(session, write, warnings)), isFound: false }),
    toRecords: ({ details }) => toRecords(session, event, toState(details, new Set(['email']))),
  });
  if (created.isFound) return complete(session, write, created.details, new Set(), warnings);
  const brought = await listDetails(session, write);
  // Like an owner that was set: see `complete`.
  const settled = brought.filter((detail) => detail !== `owner:${created.details.ownerId}`);
  const known = settleValues(new Set(settled), created.values);
  return complete(session, write, created.details, known, warnings, { isNew: true });
}

/** Fills the blanks of an existing person, and remembers it. */
async function complete(
  session: PipedriveSession,
  write: CrmWrite,
  details: PersonDetails,
  known: ReadonlySet<Detail>,
  warnings: Warnings,
  { isNew = false } = {},
): Promise<Person> {
  if (!write.plan.writes.fields) {
    const person = toState(details, known);
    const email = emailOf(write.event);
    // A person who was found by the profile URL and lacks the address is not known by the address.
    const isKnown = email === null || details.emails.includes(email);
    await remember(session, write.event, person, isKnown ? () => true : (identity) => identity.startsWith('url:'));
    return person;
  }
  const wanted = await wantedDetails(session, write, { settled: known, ownerId: details.ownerId });
  const blanks = await readBlanks(session, write, details, wanted, warnings);
  const { fields, fieldsOfNew, lastValues } = await resolveValues(session, write);
  const values = unsettled([...(isNew ? fieldsOfNew : fields), ...lastValues], known);
  const lacking = lackingValues(values, details);
  const isComplete = Object.keys(blanks).length === 0 && Object.keys(lacking).length === 0;
  const filled = isComplete ? details : await fillPerson(session, write, details, blanks, lacking, warnings);
  // Later events of the batch see what was written.
  if (filled !== null && session.persons.has(filled.id)) session.persons.set(filled.id, filled);
  // An owner that was set is known as such: somebody may change it, and then it is replaced again.
  const isSet = (detail: Detail) => detail === `owner:${filled?.ownerId}`;
  const settled = wanted.filter((detail) => !isSet(detail));
  const person = toState(filled ?? details, settleValues(new Set([...known, ...settled, 'email'] as const), values));
  await remember(session, write.event, person);
  if (Object.keys(lacking).length > 0) await forgetReplaced(session, write.event, details);
  return person;
}

/** Under other addresses a person may be remembered with values that were replaced: then they are compared again. */
async function forgetReplaced(
  { records }: PipedriveSession,
  event: InboundEvent,
  { id, emails }: PersonDetails,
): Promise<void> {
  const own = personIdentities(event);
  const others = emails.map((email) => `email:${email}`).filter((identity) => !own.includes(identity));
  if (others.length === 0) return;
  await records.load(others);
  const known = others.flatMap((identity) => records.get(identity) ?? []);
  const outdated = known.filter(({ recordId }) => recordId === String(id));
  const withoutMarks = (record: CrmRecord) => [...withoutReplaced(fromRecord(record).settled)].toSorted().join(',');
  if (outdated.length > 0)
    await records.write(outdated.map((record) => ({ ...record, detailsHash: withoutMarks(record) })));
}

async function forgetPerson(session: PipedriveSession, event: InboundEvent, known: CrmRecord | null): Promise<void> {
  const identities = personIdentities(event).filter(
    (identity) => session.records.get(identity)?.recordId === known?.recordId,
  );
  if (known !== null) session.persons.delete(Number(known.recordId));
  await session.records.forget(identities);
}

async function remember(
  session: PipedriveSession,
  event: InboundEvent,
  person: Person,
  isKnown: (identity: string) => boolean = () => true,
): Promise<void> {
  await session.records.write(toRecords(session, event, person).filter(({ identity }) => isKnown(identity)));
}

/** Adds a mark to what is remembered of a person, who was not read for it. */
export async function rememberMark(
  { records }: PipedriveSession,
  event: InboundEvent,
  { id }: Person,
  mark: Detail,
): Promise<void> {
  const known = personIdentities(event).flatMap((identity) => records.get(identity) ?? []);
  const own = known.filter(({ recordId }) => recordId === String(id));
  const marked = (record: CrmRecord) => [...fromRecord(record).settled, mark].toSorted().join(',');
  await records.write(own.map((record) => ({ ...record, detailsHash: marked(record) })));
}

function toRecords(session: PipedriveSession, event: InboundEvent, person: Person): CrmRecord[] {
  const details = {
    detailsHash: [...person.settled].toSorted().join(','),
    ownerId: person.ownerId === null ? null : String(person.ownerId),
    companyId: person.organizationId === null ? null : String(person.organizationId),
  };
  const id = String(person.id);
  return personIdentities(event).flatMap((identity, index) => {
    // A profile URL that belongs to another person stays with it.
    const other = session.records.get(identity);
    if (index > 0 && other !== null && other.recordId !== id) return [];
    return [{ ...toRecord(identity, 'person', id, session.now()), ...details }];
  });
}

function toState({ id, ownerId, organizationId }: PersonDetails, settled: ReadonlySet<Detail>): Person {
  return { id, ownerId, organizationId, settled, isFresh: true };
}

function fromRecord({ recordId, ownerId, companyId, detailsHash }: CrmRecord): Person {
  const settled = new Set((detailsHash ?? '').split(',').filter((text) => text !== '') as Detail[]);
  const [owner, organization] = [ownerId, companyId].map((id) => (id === null ? null : Number(id)));
  return {
    id: Number(recordId),
    ownerId: owner ?? null,
    organizationId: organization ?? null,
    settled,
    isFresh: false,
  };
}
