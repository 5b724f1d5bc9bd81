import { AccountCache, toAccountKey } from '../records/account-cache.ts';
import { asList, asObject } from '../http/answer-values.ts';
import { companyDomainOf } from '../events/company-domain.ts';
import { CrmFailure, NEVER, toFailed } from '../http/http-failure.ts';
import { writtenValues } from '../http/redaction.ts';
import { noMatchingContact } from '../port/no-matching-contact.ts';
import type {
  CrmAccessInfo,
  CrmBatch,
  CrmConnector,
  CrmError,
  CrmFailed,
  CrmOutcome,
  CrmRecords,
  CrmWrite,
} from '../port/types.ts';
import { asId, createPipedriveClient, type PipedriveClient, type PipedriveClientOptions } from './client.ts';
import { toEngagement, toTodo } from './engagements.ts';
import { personIdentities } from './identities.ts';
import { writeOutcomes } from './outcomes.ts';
import { readList } from './lists.ts';
import { toPerson } from './person.ts';
import { listPersonsToRead, markUnsubscribed, type Person, refreshPerson, writePerson } from './persons.ts';
import { resolveValues, valueIdentities, withLatestValues } from './person-values.ts';
import { readOwner, readUserAddresses } from './read-owner.ts';
import { BatchRecords, type PipedriveSession, tryOptionalPart, type Warnings } from './session.ts';
import { settingIdentities } from './settings.ts';
import { taskKey, writeEngagement, writeTodo } from './timeline.ts';
import { partIdentity } from './written-parts.ts';

/**
 * The Pipedrive connector.
 *
 * Pipedrive has no batch calls, no unique fields and no idempotency keys, and counts tokens of a daily budget that all
 * apps of a company share. So the ids of persons, activities and notes are remembered (`CrmRecords`), the intention to
 * create is stored before the call (`createOnce`), and what is in doubt is looked for in Pipedrive's lists.
 *
 * Calls per event: 1 for a known contact without new details (an activity costs 5 tokens, a note 10); for an unknown one
 * a search and a create more (25 tokens). A to-do costs 1 more. New details and fields of a policy cost a read and a
 * write, last values a write for each person of a batch, an organization up to 4 at its first contact. Per connection and
 * day: up to 3 for users and activity types, 4 for the fields of persons.
 *
 * The events of one person are written in their order, several persons at a time. After a failure that the next call
 * would meet as well, the rest of the batch fails without calls; after a failure of unknown reach, the rest of the
 * person's events do. An event that fails without a call leaves no intention, so its next attempt looks for nothing.
 */
export interface PipedriveConnectorOptions extends Omit<PipedriveClientOptions, 'baseUrl' | 'now' | 'signal'> {
  /** Host of connections without a host of their own. Default `https://api.pipedrive.com`. Without a trailing slash. */
  baseUrl?: string;
  /** Aborts running calls when the process stops. */
  signal?: AbortSignal;
  now?: () => Date;
}

const BATCH_SIZE = 50;
/** Persons that are written at a time. The smallest plan allows 20 calls in two seconds. */
const CONCURRENCY = 4;
/** After so many failures in a row without a usable answer, the rest of the batch is not tried. */
const UNAVAILABLE_MAX = 3;
/** For how long reply relays may miss a new user or a changed address. */
const ADDRESSES_TTL_MS = 10 * 60 * 1000;
/** Reading a list costs as much as ten persons. */
const LIST_FROM = 10;

export function createPipedriveConnector(options: PipedriveConnectorOptions): CrmConnector {
  const calls = toClientOptions(options);
  const addresses = new AccountCache<ReadonlyMap<number, string>>({ ttlMs: ADDRESSES_TTL_MS, now: calls.now });
  return {
    batchSize: BATCH_SIZE,
    async writeEvents(batch) {
      try {
        return await writeBatch(calls, batch);
      } catch (error) {
        const failed = toFailed(error, 'while writing to Pipedrive');
        return batch.events.map(() => failed);
      }
    },
    async *readList({ access, ...list }) {
      try {
        yield* readList(createPipedriveClient(calls, access, []), list);
      } catch (error) {
        yield toFailed(error, 'while reading a list of Pipedrive');
      }
    },
    async checkAccess(access) {
      try {
        return await readAccess(createPipedriveClient(calls, access, []));
      } catch (error) {
        return toFailed(error, 'while checking a token of Pipedrive');
      }
    },
    async readOwner({ access, organizationId, records, of }) {
      try {
        const client = createPipedriveClient(calls, access, []);
        const session = sessionOf(calls, client, records);
        const key = toAccountKey(organizationId, access.accessToken);
        const address = await readOwner(session, () => addresses.get(key, () => readUserAddresses(client)), of);
        return { status: 'owner', address };
      } catch (error) {
        return toFailed(error, 'while reading an owner of Pipedrive');
      }
    },
  };
}

export function toClientOptions(options: PipedriveConnectorOptions): PipedriveClientOptions {
  const { fetch, baseUrl = 'https://api.pipedrive.com', timeoutMs, signal, now = () => new Date() } = options;
  return { fetch, baseUrl, timeoutMs, now, signal };
}

/** Asks Pipedrive which company a token belongs to. The answer says nothing about permissions. @throws CrmFailure */
async function readAccess(client: PipedriveClient): Promise<CrmAccessInfo> {
  const part = 'the check of the token';
  const call = { operation: 'users', method: 'GET', path: '/api/v1/users/me', kind: 'get', part } as const;
  const companyId = asId(asObject((await client.call(call)).data)['company_id']);
  if (companyId === null) {
    const message = `Pipedrive's answer to ${part} names no company`;
    throw new CrmFailure({ code: 'unexpected_answer', message, httpStatus: 200 }, NEVER);
  }
  return { status: 'accepted', organizationId: String(companyId), missing: null };
}

/** Failures that end a batch early. */
class Brake {
  #failed: CrmFailed | null = null;
  #unavailable = 0;

  /** The failure of every further event; null while events can be tried. */
  get failed(): CrmFailed | null {
    return this.#failed;
  }

  report(outcome: CrmOutcome): void {
    const isTemporary = outcome.status === 'error' && outcome.retry !== 'never';
    this.#unavailable = isTemporary && outcome.isUnavailable ? this.#unavailable + 1 : 0;
    if (outcome.status !== 'error') return;
    const holdsForAll = outcome.disconnected || (isTemporary && !outcome.isUnavailable);
    if (holdsForAll || this.#unavailable >= UNAVAILABLE_MAX) this.#failed = outcome;
  }
}

async function writeBatch(calls: PipedriveClientOptions, batch: CrmBatch): Promise<CrmOutcome[]> {
  const { access } = batch;
  const events = withLatestValues(batch.events);
  const secrets = events.flatMap(writtenValues);
  const session = sessionOf(calls, createPipedriveClient(calls, access, secrets), batch.records);
  await session.records.load(identitiesOf(events));
  const brake = new Brake();
  const outcomes: CrmOutcome[] = [];
  const groups = groupByPerson(events);
  await tryReadPersons(session, events);
  const work = async () => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      await writeGroup(session, brake, group, outcomes);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, groups.length) }, work));
  return outcomes;
}

function sessionOf({ now }: PipedriveClientOptions, client: PipedriveClient, records: CrmRecords): PipedriveSession {
  return { client, records: new BatchRecords(records), lookUps: new Map(), persons: new Map(), now };
}

function identitiesOf(events: readonly CrmWrite[]): string[] {
  const users = events.flatMap(({ plan }) => plan.owner?.candidates ?? []);
  const own = events.flatMap((write) => {
    const { event, plan, idempotencyKey } = write;
    const domain = companyDomainOf(write);
    return [
      ...personIdentities(event),
      ...(domain === null ? [] : [`domain:${domain}`]),
      partIdentity(toEngagement(event).kind, idempotencyKey),
      ...(plan.writes.task ? [partIdentity('todo', idempotencyKey)] : []),
      ...(plan.outcomes?.tasks ?? []).map((task) => partIdentity('todo', taskKey(write, task))),
    ];
  });
  return [...settingIdentities([...new Set(users)]), ...valueIdentities(events), ...own];
}

/** Reads many known persons with one call. A person who is missing from the answer is read alone, to see why. */
async function tryReadPersons(session: PipedriveSession, events: readonly CrmWrite[]): Promise<void> {
  try {
    const ids = await listPersonsToRead(session, events);
    if (ids.length < LIST_FROM) return;
    const path = `/api/v2/persons?ids=${ids.join(',')}&limit=100`;
    const call = { operation: 'persons_read', method: 'GET', path, kind: 'list', part: 'the persons' } as const;
    const { data } = await session.client.call(call);
    for (const details of asList(data).map(toPerson)) session.persons.set(details.id, details);
  } catch (error) {
    // Each event meets the failure itself, or reads its person alone.
    if (!(error instanceof CrmFailure)) throw error;
  }
}

/** One event of a batch, with its position. */
interface GroupedWrite {
  index: number;
  write: CrmWrite;
}

/**
 * Divides a batch into groups of events that may concern one person: those that share an address or a profile URL,
 * directly or through other events. The events of a group keep their order.
 */
function groupByPerson(writes: readonly CrmWrite[]): GroupedWrite[][] {
  const groups = new Map<string, GroupedWrite[]>();
  for (const [index, write] of writes.entries()) {
    const identities = personIdentities(write.event);
    const found = new Set(identities.flatMap((identity) => groups.get(identity) ?? []));
    const merged = [...found, { index, write }].toSorted((a, b) => a.index - b.index);
    const all = new Set(merged.flatMap((entry) => personIdentities(entry.write.event)));
    for (const identity of all) groups.set(identity, merged);
  }
  return [...new Set(groups.values())];
}

async function writeGroup(
  session: PipedriveSession,
  brake: Brake,
  group: readonly GroupedWrite[],
  outcomes: CrmOutcome[],
): Promise<void> {
  let held: CrmFailed | null = null;
  for (const { index, write } of group) {
    const skipped: CrmFailed | null = brake.failed ?? held;
    if (skipped !== null) {
      outcomes[index] = skipped;
      continue;
    }
    const outcome = await writeEvent(session, write);
    outcomes[index] = outcome;
    brake.report(outcome);
    if (outcome.status === 'error' && outcome.retry !== 'never') held = outcome;
  }
}

async function writeEvent(session: PipedriveSession, write: CrmWrite): Promise<CrmOutcome> {
  const warnings: Warnings = [];
  try {
    const { event, plan, receivedAt } = write;
    const known = await writePerson(session, write, warnings);
    if (known === null) return noMatchingContact();
    if (plan.writes.fields) warnings.push(...(await resolveValues(session, write)).problems);
    const at = event.occurredAt ?? receivedAt;
    const writeIt = (to: Person) => writeEngagement(session, write, to, toEngagement(event), at, warnings);
    const writeTask = (to: Person) => writeTodo(session, write, to, toTodo(event), warnings);
    let written: Written | null = { person: known, id: null };
    if (plan.writes.timeline) written = await writeRefreshed(session, write, known, warnings, writeIt);
    else if (plan.writes.task) written = await writeTodoAlone(session, write, known, warnings, writeTask);
    if (written === null) return noMatchingContact();
    const { person, id } = written;
    if (plan.writes.timeline && plan.writes.task) await tryOptionalPart(warnings, () => writeTask(person));
    if (plan.stateFields && event.eventType === 'LEAD_UNSUBSCRIBED') {
      await markUnsubscribed(session, write, person, warnings);
    }
    if (plan.outcomes !== null) await writeOutcomes(session, write, person, plan.outcomes, warnings);
    return toOutcome(person.id, id, warnings);
  } catch (error) {
    return toFailed(error, 'while writing to Pipedrive');
  }
}

/** A part that was written, and to whom. */
interface Written {
  person: Person;
  id: number | null;
}

/**
 * Writes a part to a person. When Pipedrive refuses it, looks whether the person still is what it was, and writes to the one
 * that is there now; returns null when there is none any more and the plan creates none.
 */
async function writeRefreshed(
  session: PipedriveSession,
  write: CrmWrite,
  person: Person,
  warnings: Warnings,
  writeTo: (person: Person) => Promise<number>,
): Promise<Written | null> {
  try {
    return { person, id: await writeTo(person) };
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    const refreshed = await refreshPerson(session, write, person, warnings);
    if (refreshed === 'unchanged') throw error;
    return refreshed && { person: refreshed, id: await writeTo(refreshed) };
  }
}

/** Writes a to-do of an event without an engagement. That it is refused is a warning. */
async function writeTodoAlone(...args: Parameters<typeof writeRefreshed>): Promise<Written | null> {
  const [, , person, warnings] = args;
  try {
    const written = await writeRefreshed(...args);
    return written && { person: written.person, id: null };
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    warnings.push(error.error);
    return { person, id: null };
  }
}

/** Reports one warning: a missing permission, which is recorded as the connection's error, else the first one. */
function toOutcome(personId: number, engagementId: number | null, warnings: readonly CrmError[]): CrmOutcome {
  const error = warnings.find(({ code }) => code === 'forbidden') ?? warnings[0];
  const ids = { contactId: String(personId), engagementId: engagementId === null ? null : String(engagementId) };
  return error === undefined ? { status: 'success', ...ids } : { status: 'warning', ...ids, error };
}
