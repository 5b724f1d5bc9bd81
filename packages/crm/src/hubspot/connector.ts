import { AccountCache, toAccountKey } from '../account-cache.ts';
import { isReply } from '../event-text.ts';
import { toFailed } from '../http-failure.ts';
import { payloadValues } from '../redaction.ts';
import { createHubspotClient } from './client.ts';
import { writeCompany } from './companies.ts';
import { writeContact } from './contacts.ts';
import { toEngagement, toTask, toUniqueKey } from './engagements.ts';
import { readList } from './lists.ts';
import { associate } from './records.ts';
import { readToken } from './token.ts';
import { type HubspotCaches, type HubspotSession, tryOptionalPart, upsertByOwnProperty } from './session.ts';
import type { CrmBatch, CrmConnector, CrmOutcome, CrmWrite } from '../types.ts';

/**
 * The HubSpot connector.
 *
 * A repeated write must change nothing, but HubSpot has no idempotency keys, and its create calls add a second record
 * on every retry. So everything is upserted: contacts by email or profile URL; engagements, tasks and companies by a
 * unique property of our own, which is created on first use. Upserts cannot set associations, so each association is a
 * separate, repeatable PUT.
 *
 * Calls per event: 3 for a known contact (read, engagement, association), 4 for a contact that is new or has blanks to
 * fill. A task costs 2 more, a company 1 to 3 at the contact's first event. Once per account and object type: up to 3
 * for the property.
 *
 * Order: contact, engagement, association, then company and task, whose refusal is only a warning. Any temporary
 * failure (429, 5xx, no answer) ends the write as a retryable error; completed parts stay.
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
/** How long users and companies are cached: a change in HubSpot may be missed for this long. */
const LOOK_UP_TTL_MS = 10 * 60 * 1000;

export function createHubspotConnector(options: HubspotConnectorOptions): CrmConnector {
  const { fetch, baseUrl = 'https://api.hubapi.com', timeoutMs, signal, now = () => new Date() } = options;
  const caches: HubspotCaches = {
    properties: new AccountCache({ ttlMs: PROPERTIES_TTL_MS, now }),
    owners: new AccountCache({ ttlMs: LOOK_UP_TTL_MS, now }),
    companies: new AccountCache({ ttlMs: LOOK_UP_TTL_MS, now }),
  };
  const calls = { fetch, baseUrl, timeoutMs, now, signal };

  async function writeOne({ access, organizationId }: CrmBatch, write: CrmWrite): Promise<CrmOutcome> {
    const session: HubspotSession = {
      client: createHubspotClient(calls, access, payloadValues(write.event)),
      caches,
      accountKey: toAccountKey(organizationId, access.accessToken),
      write,
      at: write.event.occurredAt ?? write.receivedAt,
      warnings: [],
    };
    try {
      return await writeEvent(session);
    } catch (error) {
      return toFailed(error, 'while writing to HubSpot');
    }
  }

  return {
    batchSize: 1,
    async writeEvents(batch) {
      const outcomes: CrmOutcome[] = [];
      for (const write of batch.events) outcomes.push(await writeOne(batch, write));
      return outcomes;
    },
    async *readList({ access, ...list }) {
      try {
        yield* readList(createHubspotClient(calls, access, []), list);
      } catch (error) {
        yield toFailed(error, 'while reading a list of HubSpot');
      }
    },
    async checkAccess(access) {
      try {
        return await readToken(createHubspotClient(calls, access, []), access.accessToken);
      } catch (error) {
        return toFailed(error, 'while checking a token of HubSpot');
      }
    },
  };
}

async function writeEvent(session: HubspotSession): Promise<CrmOutcome> {
  const { event, idempotencyKey, source } = session.write;
  const key = toUniqueKey(idempotencyKey);
  const contact = await writeContact(session);
  const { objectType, properties } = toEngagement(event, session.at);
  const engagement = await upsertByOwnProperty(session, {
    objectType,
    idProperty: 'svc_event_key',
    id: key,
    properties,
    part: `the engagement (${objectType})`,
  });
  await tryOptionalPart(session, () =>
    associate(
      session.client,
      [objectType, engagement.id],
      ['contacts', contact.id],
      'the association with the contact',
    ),
  );
  if (source.createOrUpdateCompany) await tryOptionalPart(session, () => writeCompany(session, contact));
  if (source.createOrUpdateTask && isReply(event.eventType)) {
    await tryOptionalPart(session, async () => {
      const task = await upsertByOwnProperty(session, {
        objectType: 'tasks',
        idProperty: 'svc_event_key',
        id: key,
        properties: toTask(event, session.at, contact.ownerId),
        part: 'the task',
      });
      await associate(session.client, ['tasks', task.id], ['contacts', contact.id], 'the association with the task');
    });
  }
  // Reports one warning: a missing permission, which is recorded as the connection's error, else the first one.
  const error = session.warnings.find(({ httpStatus }) => httpStatus === 403) ?? session.warnings[0];
  const ids = { contactId: contact.id, engagementId: engagement.id };
  return error === undefined ? { status: 'success', ...ids } : { status: 'warning', ...ids, error };
}
