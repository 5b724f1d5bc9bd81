import { companyDomainOf } from '../events/company-domain.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmRecord } from '../port/types.ts';
import { associateRecords, readRecords, type RecordsOf } from './records.ts';
import { sendDivided } from './batches.ts';
import { type BatchContact, type EventWrite, failOptionalPart } from './event-write.ts';
import { upsertWithOwners } from './owned-records.ts';
import { searchByValues } from './search.ts';
import { ensureOwnProperty, type HubspotSession, recheckProperties } from './session.ts';

/**
 * Writes the companies of contacts that have none, identified by their domain.
 *
 * HubSpot's `domain` is not unique, so it cannot be the key of an upsert, and search alone would race because its index
 * lags by seconds. Therefore an existing company with the domain is used unchanged if search finds it; otherwise one is
 * upserted by a unique property of our own, so that two concurrent writers create only one.
 *
 * A contact with a company keeps it. Without a business domain there is no stable key and therefore no company.
 */

const COMPANIES: Pick<RecordsOf, 'objectType' | 'part'> = { objectType: 'companies', part: 'the company' };
/** The unique property by which companies are upserted. */
const OWN_KEY = 'svc_company_domain';
const REMEMBERED_FOR_MS = 24 * 60 * 60 * 1000;

/** A contact that gets a company. */
interface Wish {
  contact: BatchContact;
  contactId: string;
  domain: string;
  /** Used for a new company. */
  name: string;
  ownerId: string | null;
  /** The events that ask for the company. */
  events: EventWrite[];
}

export async function writeCompanies(session: HubspotSession, contacts: readonly BatchContact[]): Promise<void> {
  const wishes = contacts.flatMap(toWish);
  if (wishes.length === 0) return;
  const found = await findOrCreate(session, wishes);
  const ready = wishes.flatMap((wish) => {
    const company = found.get(wish.domain);
    if (company instanceof CrmFailure) for (const event of wish.events) failOptionalPart(event, company);
    return typeof company === 'string' ? [{ ...wish, companyId: company }] : [];
  });
  const answers = await associateRecords(
    session.client,
    { from: 'contacts', to: 'companies', part: 'the association with the company' },
    ready.map(({ contactId, companyId }) => ({ fromId: contactId, toId: companyId })),
  );
  for (const [index, { contact, companyId, domain, events }] of ready.entries()) {
    const failure = answers[index];
    if (failure instanceof CrmFailure) {
      for (const event of events) failOptionalPart(event, failure);
      await session.records.delete([toKey(domain), ...contact.keys]);
      contact.isForgotten = true;
    } else {
      contact.companyId = companyId;
      contact.isChanged = true;
    }
  }
}

function toWish(contact: BatchContact): Wish[] {
  const events = contact.events.filter((event) => event.failure === null && companyDomainOf(event.write) !== null);
  const [first] = events;
  const domain = first === undefined ? null : companyDomainOf(first.write);
  if (first === undefined || domain === null || contact.id === null || contact.companyId !== null) return [];
  const name = first.write.event.contact.companyName ?? domain;
  const ownerId = first.write.plan.owner?.companies === true ? (first.ownerId ?? null) : null;
  return [{ contact, contactId: contact.id, domain, name, ownerId, events }];
}

/** Returns each domain's company id, or why it has none. */
async function findOrCreate(
  session: HubspotSession,
  wishes: readonly Wish[],
): Promise<Map<string, string | CrmFailure>> {
  const wishOf = new Map(wishes.toReversed().map((wish) => [wish.domain, wish]));
  const domains = [...new Set(wishes.map(({ domain }) => domain))];
  const ids = new Map<string, string | CrmFailure>();
  const nowMs = session.now.getTime();
  for (const { identity, recordId, checkedAt } of (await session.records.read(domains.map(toKey))).values()) {
    if (nowMs - checkedAt.getTime() < REMEMBERED_FOR_MS) ids.set(identity.slice(KEY_PREFIX.length), recordId);
  }
  const isOpen = (domain: string) => !ids.has(domain);
  const unknown = domains.filter(isOpen);
  // Always the same company if several have the domain.
  const answers = await searchByValues(
    session.client,
    { ...COMPANIES, operation: 'companies_search', property: 'domain', sort: 'createdate' },
    unknown,
  );
  for (const [index, domain] of unknown.entries()) {
    const answer = answers[index];
    if (answer !== undefined && answer !== null) ids.set(domain, answer);
  }
  const owned = domains.filter((domain) => isOpen(domain) && (wishOf.get(domain)?.ownerId ?? null) !== null);
  const isOurs = await readOwnCompanies(session, owned);
  for (const [domain, answer] of isOurs) if (answer instanceof CrmFailure) ids.set(domain, answer);
  const missing = domains.filter(isOpen);
  const created = await upsertWithOwners(
    session,
    { ...COMPANIES, operation: 'companies_upsert', idProperty: OWN_KEY },
    missing.map((domain) => ({
      id: domain,
      properties: { domain, name: wishOf.get(domain)?.name ?? domain },
      spare: { website: domain },
      isNew: true,
      ownerId: isOurs.get(domain) === true ? null : (wishOf.get(domain)?.ownerId ?? null),
    })),
    (index, { error }) => {
      for (const event of wishOf.get(missing[index] ?? '')?.events ?? []) event.warnings.push(error);
    },
  );
  for (const [index, domain] of missing.entries()) {
    const answer = created[index];
    if (answer !== undefined) ids.set(domain, answer instanceof CrmFailure ? answer : answer.id);
  }
  await session.records.write(unknown.flatMap((domain) => toRecord(session, domain, ids.get(domain))));
  return ids;
}

/**
 * Returns for each domain whether we made its company before, although search does not find it: the index may lag, or
 * somebody changed the company's domain. The owner of such a company stays.
 */
async function readOwnCompanies(
  session: HubspotSession,
  domains: readonly string[],
): Promise<Map<string, boolean | CrmFailure>> {
  if (domains.length === 0) return new Map();
  const failure = await ensureOwnProperty(session, COMPANIES.objectType, OWN_KEY);
  if (failure !== null) return new Map(domains.map((domain) => [domain, failure]));
  const client = recheckProperties(session, COMPANIES.objectType, [OWN_KEY]);
  const records: RecordsOf = { ...COMPANIES, operation: 'companies_read', idProperty: OWN_KEY };
  const answers = await sendDivided<string, boolean>(domains, async (asked) => {
    const found = await readRecords(client, records, asked, [OWN_KEY]);
    const keys = new Set(found.map(({ properties }) => properties[OWN_KEY]));
    return asked.map((domain) => keys.has(domain));
  });
  return new Map(domains.map((domain, index) => [domain, answers[index] ?? false]));
}

const KEY_PREFIX = 'domain:';

/** Returns under which keys the company of an event is remembered. */
export function companyKeys({ write }: EventWrite): string[] {
  const domain = companyDomainOf(write);
  return domain === null ? [] : [toKey(domain)];
}

function toKey(domain: string): string {
  return `${KEY_PREFIX}${domain}`;
}

function toRecord({ now }: HubspotSession, domain: string, company: string | CrmFailure | undefined): CrmRecord[] {
  return typeof company !== 'string'
    ? []
    : [
        {
          identity: toKey(domain),
          recordType: COMPANIES.objectType,
          recordId: company,
          detailsHash: null,
          ownerId: null,
          companyId: null,
          checkedAt: now,
        },
      ];
}
