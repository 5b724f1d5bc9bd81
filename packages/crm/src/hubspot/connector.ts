import { AccountCache, toAccountKey } from './account-cache.ts';
import { CrmFailure } from '../http-failure.ts';
import { createHubspotClient } from './client.ts';
import { writeCompany } from './companies.ts';
import { writeContact } from './contacts.ts';
import { isReply, toEngagement, toTask, toUniqueKey } from './engagements.ts';
import { readList } from './lists.ts';
import { associate } from './records.ts';
import { type HubspotMemory, type HubspotSession, tryPart, upsertByOwnProperty } from './session.ts';
import type { CrmConnector, CrmFailed, CrmOutcome, CrmWrite } from '../types.ts';

/**
 * HubSpot.
 *
 * The port promises that a repeated write changes nothing. HubSpot has no idempotency keys, and its create calls make a
 * second record on every retry; so nothing is ever created, everything is upserted: contacts by email or profile URL,
 * engagements, tasks and companies by a property of our own with unique values, which is made on first use. Upserts take
 * no associations, hence a call of its own for each, a PUT that may be repeated.
 *
 * Calls per event: 3 for a contact that HubSpot knows (read, engagement, association), 4 for one that is new or has blanks
 * to fill; a task costs 2 more, a company 1 to 3 on the contact's first event. Once per account and object type: up to 3 for the
 * property.
 *
 * Order: contact, engagement, association; then company and task, whose refusal is a warning. Whatever may succeed later
 * (429, 5xx, no answer) ends the write as an error that can be repeated, in whatever part: what is done already stays done.
 */
export interface HubspotConnectorOptions {
  fetch: typeof globalThis.fetch;
  /** Default `https://api.hubapi.com`. No slash at the end. */
  baseUrl?: string;
  /** Of one call. */
  timeoutMs: number;
  /** Ends calls under way when the process stops. */
  signal?: AbortSignal;
  now?: () => Date;
}

const PROPERTIES_TTL_MS = 24 * 60 * 60 * 1000;
/** Users and companies are looked up again after this: the time in which a change in HubSpot may be missed. */
const LOOK_UP_TTL_MS = 10 * 60 * 1000;

export function createHubspotConnector(options: HubspotConnectorOptions): CrmConnector {
  const { fetch, baseUrl = 'https://api.hubapi.com', timeoutMs, signal, now = () => new Date() } = options;
  const memory: HubspotMemory = {
    properties: new AccountCache({ ttlMs: PROPERTIES_TTL_MS, now }),
    owners: new AccountCache({ ttlMs: LOOK_UP_TTL_MS, now }),
    companies: new AccountCache({ ttlMs: LOOK_UP_TTL_MS, now }),
  };
  const calls = { fetch, baseUrl, timeoutMs, now, signal };
  return {
    async *readList({ accessToken, ...list }) {
      try {
        yield* readList(createHubspotClient(calls, accessToken, []), list);
      } catch (error) {
        yield toFailed(error, 'while reading a list of HubSpot');
      }
    },
    async writeEvent(write) {
      const { accessToken, organizationId, event, receivedAt } = write;
      const session: HubspotSession = {
        client: createHubspotClient(calls, accessToken, listSecrets(write)),
        memory,
        accountKey: toAccountKey(organizationId, accessToken),
        write,
        at: event.occurredAt ?? receivedAt ?? now(),
        warnings: [],
      };
      try {
        return await writeEvent(session);
      } catch (error) {
        return toFailed(error, 'while writing to HubSpot');
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
  await tryPart(session, () =>
    associate(
      session.client,
      [objectType, engagement.id],
      ['contacts', contact.id],
      'the association with the contact',
    ),
  );
  if (source.createOrUpdateCompany) await tryPart(session, () => writeCompany(session, contact));
  if (source.createOrUpdateTask && isReply(event.eventType)) {
    await tryPart(session, async () => {
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
  // One of several is shown: a missing permission, because it is recorded as the connection's error, else the first.
  const error = session.warnings.find(({ httpStatus }) => httpStatus === 403) ?? session.warnings[0];
  const ids = { contactId: contact.id, engagementId: engagement.id };
  return error === undefined ? { status: 'success', ...ids } : { status: 'warning', ...ids, error };
}

function toFailed(error: unknown, doing: string): CrmFailed {
  if (error instanceof CrmFailure) return error.toOutcome();
  // A fault of ours. Its text may hold anything, so only its kind is told.
  const kind = error instanceof Error ? error.name : typeof error;
  const message = `Unexpected failure ${doing} (${kind})`;
  return {
    status: 'error',
    error: { code: 'internal', message, httpStatus: null },
    retry: 'never',
    disconnected: false,
  };
}

/** Values that HubSpot may repeat in an error text and that must not be passed on. */
function listSecrets({ event }: CrmWrite): string[] {
  const { contact, campaign } = event;
  const texts = [
    ...Object.values(contact),
    event.toEmail,
    event.fromEmail,
    event.subject,
    event.messageId,
    campaign.name,
    event.bodyText,
    event.bodyHtml,
  ];
  return texts.filter((text) => text !== null);
}
