import type { CrmAccess, CrmBatch, CrmConnector, CrmFailed, CrmOutcome, CrmWrite } from '../port/types.ts';
import { AccountCache, toAccountKey } from '../records/account-cache.ts';
import { asFailure, toFailed } from '../http/http-failure.ts';
import { writtenValues } from '../http/redaction.ts';
import { createHubspotClient } from './client.ts';
import { toEngagement, toUniqueKey } from './engagements.ts';
import { readList } from './lists.ts';
import type { EventWrite } from './event-write.ts';
import type { HubspotCaches, HubspotSession } from './session.ts';
import { listPlannedNames } from './planned-values.ts';
import { withoutFailures } from '../records/remembered-records.ts';
import { readOwner } from './read-owner.ts';
import { readToken } from './token.ts';
import { toOutcome, writeEvents } from './write-events.ts';

/**
 * The HubSpot connector.
 *
 * A repeated write must change nothing, but HubSpot has no idempotency keys, and its create calls add a second record
 * on every retry. So everything is upserted: contacts by email or profile URL; engagements, tasks and companies by a
 * unique property of our own, which is created on first use. Upserts cannot set associations, so associations are
 * separate, repeatable calls.
 *
 * Each of these is one call for each 100 events:
 *
 * - read the contacts (not for those whose details were complete a day ago), upsert the new and incomplete ones;
 * - upsert the engagements and associate them, for each object type in the batch; once more for each further event of a contact;
 * - upsert the tasks and associate them;
 * - search the companies of contacts that have none, upsert the missing ones, associate them;
 * - read the account's users, every ten minutes.
 *
 * What write policies add: docs/crm/hubspot.md counts it.
 *
 * Once per account and object type: up to 3 calls for the property. Where HubSpot does not make it unique for activities, they are searched
 * and created (`plain-keys.ts`).
 */
export interface HubspotConnectorOptions {
  fetch: typeof globalThis.fetch;
  /** Default `https://api.hubapi.com`. Without a trailing slash. */
  baseUrl?: string;
  /** Timeout of one call in ms. */
  timeoutMs: number;
  /** Aborts running calls when the process stops. */
  signal?: AbortSignal;
  now?: () => Date;
}

const PROPERTIES_TTL_MS = 24 * 60 * 60 * 1000;
/** How long the account's users and its pipelines are cached: a change in HubSpot may be missed for this long. */
const OWNERS_TTL_MS = 10 * 60 * 1000;
/** How long a property of a plan may be missing for us after somebody made it. */
const MISSING_TTL_MS = 10 * 60 * 1000;
/** Five times as many records as HubSpot takes in a call: calls that do not depend on each other are made at once. */
const BATCH_SIZE = 500;

export function createHubspotConnector(options: HubspotConnectorOptions): CrmConnector {
  const { fetch, baseUrl = 'https://api.hubapi.com', timeoutMs, signal, now = () => new Date() } = options;
  const caches: HubspotCaches = {
    properties: new AccountCache({ ttlMs: PROPERTIES_TTL_MS, now }),
    owners: new AccountCache({ ttlMs: OWNERS_TTL_MS, now }),
    definitions: new AccountCache({ ttlMs: PROPERTIES_TTL_MS, now }),
    newDefinitions: new AccountCache({ ttlMs: MISSING_TTL_MS, now }),
    pipelines: new AccountCache({ ttlMs: OWNERS_TTL_MS, now }),
  };
  const calls = { fetch, baseUrl, timeoutMs, now, signal };

  async function writeBatch({ access, organizationId, records, events }: CrmBatch): Promise<readonly CrmOutcome[]> {
    const session: HubspotSession = {
      client: createHubspotClient(calls, access, events.flatMap(writtenValues)),
      caches,
      accountKey: keyOf(organizationId, access),
      records: withoutFailures(records),
      now: now(),
      owners: null,
      definitions: null,
      newDefinitions: null,
      pipelines: null,
      plannedNames: listPlannedNames(events),
    };
    const prepared = events.map(prepare);
    const writes = prepared.filter((event): event is EventWrite => !('status' in event));
    try {
      await writeEvents(session, writes);
    } catch (error) {
      const failure = asFailure(error, 'while writing to HubSpot');
      for (const event of writes) if (!event.isDone) event.failure ??= failure;
    }
    return prepared.map((event) => ('status' in event ? event : toOutcome(event)));
  }

  return {
    batchSize: BATCH_SIZE,
    writeEvents: writeBatch,
    async *readList({ access, ...list }) {
      try {
        yield* readList(createHubspotClient(calls, access, []), list);
      } catch (error) {
        yield toFailed(error, 'while reading a list of HubSpot');
      }
    },
    async checkAccess(access) {
      try {
        return await readToken(createHubspotClient(calls, access, []), access);
      } catch (error) {
        return toFailed(error, 'while checking a token of HubSpot');
      }
    },
    async readOwner({ access, organizationId, of }) {
      try {
        const owners = { cache: caches.owners, accountKey: keyOf(organizationId, access) };
        return { status: 'owner', address: await readOwner(createHubspotClient(calls, access, []), owners, of) };
      } catch (error) {
        return toFailed(error, 'while reading an owner of HubSpot');
      }
    },
  };
}

/**
 * Only its owner says which account a private token is of, so the key holds the token. HubSpot itself named the account of a grant, and the
 * grant's access token changes every half hour.
 */
function keyOf(organizationId: string, { tokenType, accessToken }: CrmAccess): string {
  return toAccountKey(organizationId, tokenType === 'private' ? accessToken : '');
}

/** Returns a failure for an event that cannot be turned into an engagement. */
function prepare(write: CrmWrite, index: number): EventWrite | CrmFailed {
  const { event, receivedAt, idempotencyKey } = write;
  const at = event.occurredAt ?? receivedAt;
  try {
    return {
      write,
      index,
      key: toUniqueKey(idempotencyKey),
      at,
      engagement: toEngagement(event, at),
      planned: null,
      contact: null,
      ownerId: undefined,
      isUnmatched: false,
      engagementId: null,
      warnings: [],
      failure: null,
      isDone: false,
    };
  } catch (error) {
    return asFailure(error, 'while reading an event').toOutcome();
  }
}
