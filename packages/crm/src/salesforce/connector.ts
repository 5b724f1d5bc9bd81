import { AccountCache, toAccountKey } from '../records/account-cache.ts';
import { companyDomainOf } from '../events/company-domain.ts';
import type { CrmHttpOptions } from '../http/http.ts';
import { asFailure, toFailed } from '../http/http-failure.ts';
import { writtenValues } from '../http/redaction.ts';
import { withoutFailures } from '../records/remembered-records.ts';
import { noMatchingContact } from '../port/no-matching-contact.ts';
import type { CrmAccess, CrmBatch, CrmConnector, CrmOutcome, CrmWrite } from '../port/types.ts';
import { checkAccess } from './access.ts';
import { toAccountIdentity } from './accounts.ts';
import { createSalesforceClient } from './client.ts';
import { propertiesOf } from './fields.ts';
import { toIdentity, toTaskKey } from './identity.ts';
import { lacksLastValues } from './last-values.ts';
import { readList } from './lists.ts';
import { DEAL_KEY_FIELD, readOrg, type SalesforceOrg } from './org.ts';
import { readOwner } from './read-owner.ts';
import { readSales, type Sales } from './sales.ts';
import { type EventWrite, failUnsettled } from './session.ts';
import { writeEvents } from './write-events.ts';

/**
 * The Salesforce connector.
 *
 * Calls for a batch of any size up to 100: one that searches contacts, leads and owners together, one that creates people,
 * one that fills in blanks, one that creates tasks. Each is left out when nothing needs it, so a batch of remembered people
 * costs one. Companies add two, events that may have been written before one, and each further event of a person one. Once per
 * connection and process: four that read what the org offers.
 *
 * Order: people, then tasks, whose record is only created when the person is there. Everything is looked up by a stable key
 * before it is created, so a repeated batch continues where the first one ended.
 */
export type SalesforceConnectorOptions = Omit<CrmHttpOptions, 'now'> & {
  now?: () => Date;
  /** API of connections that do not know the address of their org, as in a world with simulators. Default: they fail. */
  baseUrl?: string;
};

/**
 * Salesforce takes 200 records in a call. Triggers and flows of the customer run for all of them in one transaction
 * with a limit on its time, so a batch has half as many.
 */
const BATCH_SIZE = 100;
/** How long a change of the org's fields may be missed. */
const ORG_TTL_MS = 6 * 60 * 60 * 1000;
/** How long while fields are missing that an event needs: somebody may make them at any time. */
const LACKING_TTL_MS = 30 * 60 * 1000;

export function createSalesforceConnector(options: SalesforceConnectorOptions): CrmConnector {
  const { now = () => new Date(), baseUrl = null } = options;
  const withAddress = (access: CrmAccess): CrmAccess => ({ ...access, apiUrl: access.apiUrl ?? baseUrl });
  const calls = { ...options, now };
  const orgs = new AccountCache<SalesforceOrg>({ ttlMs: ORG_TTL_MS, now });
  const salesOfOrgs = new AccountCache<Sales | null>({ ttlMs: ORG_TTL_MS, now });
  const isOld = (readAt: Date) => now().getTime() - readAt.getTime() > LACKING_TTL_MS;

  async function writeBatch(
    { access, organizationId, records }: CrmBatch,
    events: readonly EventWrite[],
  ): Promise<void> {
    const secrets = events.flatMap(({ write }) => writtenValues(write));
    const client = createSalesforceClient({ ...calls, access, secrets });
    const orgKey = toAccountKey(organizationId, access.accessToken);
    const properties = propertiesOf(events.map(({ write }) => write));
    const readSalesOnce = () => salesOfOrgs.get(orgKey, () => readSales(client, now));
    const session = {
      client,
      records: withoutFailures(records),
      properties,
      now,
      async readSales() {
        const sales = await readSalesOnce();
        if (sales === null || sales.fields.has(DEAL_KEY_FIELD) || !isOld(sales.readAt)) return sales;
        salesOfOrgs.delete(orgKey);
        return readSalesOnce();
      },
    };
    const readOnce = () => orgs.get(orgKey, () => readOrg(client, now));
    let org = await readOnce();
    if (lacksLastValues(events, org) && isOld(org.readAt)) {
      orgs.delete(orgKey);
      org = await readOnce();
    }
    const stale = await writeEvents({ ...session, org }, events);
    if (stale.length === 0) return;
    // What was remembered is wrong: everything is read anew, once.
    orgs.delete(orgKey);
    salesOfOrgs.delete(orgKey);
    await session.records.delete(stale.flatMap(rememberedBy));
    for (const event of stale) {
      // The to-do of this event may be there already.
      const write = { ...event.write, isRepeated: true };
      Object.assign(event, { write, failure: null, warnings: [], personId: null, isSettled: false });
    }
    await writeEvents({ ...session, org: await readOnce() }, stale);
  }

  return {
    batchSize: BATCH_SIZE,
    async writeEvents(batch) {
      const events = batch.events.map(toEventWrite);
      try {
        await writeBatch({ ...batch, access: withAddress(batch.access) }, events);
      } catch (error) {
        failUnsettled(events, asFailure(error, 'while writing to Salesforce'));
      }
      return events.map(toOutcome);
    },
    async *readList({ access, ...list }) {
      try {
        yield* readList(createSalesforceClient({ ...calls, access: withAddress(access), secrets: [] }), list);
      } catch (error) {
        yield toFailed(error, 'while reading a list of Salesforce');
      }
    },
    async checkAccess(access) {
      try {
        return await checkAccess(calls, withAddress(access));
      } catch (error) {
        return toFailed(error, 'while checking the access to Salesforce');
      }
    },
    async readOwner({ access, organizationId, records, of }) {
      try {
        const client = createSalesforceClient({ ...calls, access: withAddress(access), secrets: [] });
        const org = await orgs.get(toAccountKey(organizationId, access.accessToken), () => readOrg(client, now));
        const session = { client, org, records, properties: [], now, readSales: () => Promise.resolve(null) };
        return { status: 'owner', address: await readOwner(session, of) };
      } catch (error) {
        return toFailed(error, 'while reading an owner of Salesforce');
      }
    },
  };
}

/** The identities of an event's person and account. */
function rememberedBy(event: EventWrite): string[] {
  const domain = companyDomainOf(event.write);
  const { key } = toIdentity(event.write.event);
  return domain === null ? [key] : [key, toAccountIdentity(domain)];
}

function toEventWrite(write: CrmWrite): EventWrite {
  return {
    write,
    at: write.event.occurredAt ?? write.receivedAt,
    key: toTaskKey(write.idempotencyKey),
    behind: null,
    personId: null,
    taskId: null,
    isSettled: false,
    failure: null,
    warnings: [],
  };
}

function toOutcome({ failure, personId, taskId, isSettled, warnings }: EventWrite): CrmOutcome {
  if (failure !== null) return failure.toOutcome();
  if (!isSettled) return toFailed(new Error('an event was neither written nor refused'), 'while writing to Salesforce');
  if (personId === null) return noMatchingContact();
  // Reports one warning: a missing permission, which is recorded as the connection's error, else the first one.
  const error = warnings.find(({ httpStatus }) => httpStatus === 403) ?? warnings[0];
  const ids = { contactId: personId, engagementId: taskId };
  return error === undefined ? { status: 'success', ...ids } : { status: 'warning', ...ids, error };
}
