/** Statements about the mails of reply relays. */
import type { RelayMailState, RelayMailStatus } from '@svc/domain/relays/relay-attempts';
import type { RelayCategorySignal } from '@svc/domain/relays/relay-reply';
import type { RecipientRoute, RelayRecipient, RelayRoute } from '@svc/domain/relays/relay-routes';
import type { InboundEvent } from '@svc/sequencers';
import type { Db } from './database/db.ts';
import { ERASED } from './erased.ts';
import { readStoredEvent } from './stored-json.ts';

export interface NewRelayMail {
  accountId: number;
  connectionId: number;
  relayId: number;
  eventId: number;
  receivedAt: Date;
  dueAt: Date;
}

/** Adds planned mails. Returns those that are new with their ids: a relay sends one mail per event. */
export async function insertRelayMails(
  tx: Db,
  planned: readonly NewRelayMail[],
  now: Date,
): Promise<(NewRelayMail & { id: number })[]> {
  if (planned.length === 0) return [];
  const { rows } = await tx.query<{ id: number; relayId: number; eventId: number }>(
    {
      name: 'relay-mails-insert',
      text: `insert into relay_mails (account_id, connection_id, relay_id, event_id, status, received_at, due_at,
          next_attempt_at, created_at)
        select account_id, connection_id, relay_id, event_id, 'waiting', received_at, due_at, due_at, $7
        from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::timestamptz[])
          as planned (account_id, connection_id, relay_id, event_id, received_at, due_at)
        order by relay_id, event_id
        on conflict (relay_id, event_id) do nothing
        returning id, relay_id as "relayId", event_id as "eventId"`,
    },
    [
      planned.map(({ accountId }) => accountId),
      planned.map(({ connectionId }) => connectionId),
      planned.map(({ relayId }) => relayId),
      planned.map(({ eventId }) => eventId),
      planned.map(({ receivedAt }) => receivedAt.toISOString()),
      planned.map(({ dueAt }) => dueAt.toISOString()),
      now,
    ],
  );
  const ids = new Map(rows.map(({ id, relayId, eventId }) => [`${relayId} ${eventId}`, id]));
  return planned.flatMap((mail) => {
    const id = ids.get(`${mail.relayId} ${mail.eventId}`);
    return id === undefined ? [] : [{ ...mail, id }];
  });
}

/** A mail with everything that decides about it now. */
export interface RelayMailToSend {
  id: number;
  accountId: number;
  connectionId: number;
  relayId: number;
  /** Null for a digest (`relay-digests.ts`). */
  eventId: number | null;
  state: RelayMailState;
  /** Set by the first attempt. */
  messageId: string | null;
  receivedAt: Date;
  dueAt: Date;
  /** Null when it is no longer stored. */
  event: { normalized: InboundEvent; platform: string; sourceId: number } | null;
  relay: {
    ccEmail: string;
    bodyTemplates: string[];
    categoryAllowlist: { id: string; name: string }[];
    routes: RelayRoute[] | null;
  } | null;
  /** Null before the first attempt. */
  recipient: RelayRecipient | null;
  isBound: boolean;
  hasCapability: boolean;
  /** The latest category that a sequencer of this platform gave the lead. */
  latestCategory: RelayCategorySignal | null;
}

interface StoredRelayMail extends RelayMailState {
  id: number;
  accountId: number;
  connectionId: number;
  relayId: number;
  eventId: number | null;
  messageId: string | null;
  receivedAt: Date;
  dueAt: Date;
  normalized: object | null;
  platform: string | null;
  sourceId: number | null;
  ccEmail: string | null;
  bodyTemplates: string[] | null;
  categoryAllowlist: { id: string; name: string }[] | null;
  routes: RelayRoute[] | null;
  recipient: string | null;
  route: RecipientRoute | null;
  routeNote: string | null;
  isBound: boolean;
  hasCapability: boolean;
  categoryId: string | null;
  categoryName: string | null;
  categoryAt: Date | null;
}

const STATE = `mails.status, mails.attempt_count as "attemptCount", mails.unconfirmed_count as "unconfirmedCount",
  mails.smtp_code as "smtpCode", mails.error, mails.next_attempt_at as "nextAttemptAt"`;

/** Returns a mail; null when it was removed with its connection. */
export async function getRelayMailToSend(db: Db, id: number): Promise<RelayMailToSend | null> {
  return (await listRelayMailsToSend(db, [id]))[0] ?? null;
}

/** Returns mails in the order of their ids, without those that were removed. */
export async function listRelayMailsToSend(db: Db, ids: readonly number[]): Promise<RelayMailToSend[]> {
  const { rows } = await db.query<StoredRelayMail>(
    {
      name: 'relay-mails-get',
      text: `select mails.id, mails.account_id as "accountId", mails.connection_id as "connectionId",
          mails.relay_id as "relayId", mails.event_id as "eventId", ${STATE}, mails.message_id as "messageId",
          mails.received_at as "receivedAt", mails.due_at as "dueAt", events.normalized, events.platform,
          events.source_id as "sourceId", mails.recipient, mails.route, mails.route_note as "routeNote", relays.routes,
          relays.cc_email as "ccEmail", relays.body_templates as "bodyTemplates",
          relays.category_allowlist as "categoryAllowlist",
          exists (select from reply_relay_bindings bindings
            where bindings.source_id = events.source_id and bindings.reply_relay_id = relays.id) as "isBound",
          connections.capability_destinations as "hasCapability", category.category_id as "categoryId",
          category.category_name as "categoryName", category.at as "categoryAt"
        from relay_mails mails
        join connections on connections.id = mails.connection_id
        left join inbound_events events on events.id = mails.event_id and events.connection_id = mails.connection_id
          and events.to_email <> '${ERASED}'
        left join reply_relays relays on relays.id = mails.relay_id and relays.connection_id = mails.connection_id
        left join lateral (
          select signals.category_id, signals.category_name, signals.at from category_signals signals
          where signals.account_id = mails.account_id and signals.connection_id = mails.connection_id
            and signals.identity = any(array[lower(events.to_email), lower(events.normalized #>> '{contact,email}'),
              lower(events.normalized #>> '{contact,profileUrl}')])
            and (signals.platform is null or signals.platform = events.platform)
          order by signals.at desc, signals.id desc limit 1
        ) category on true
        where mails.id = any($1::bigint[]) order by mails.id`,
    },
    [ids],
  );
  return rows.map(toMail);
}

function toMail(row: StoredRelayMail): RelayMailToSend {
  const { id, accountId, connectionId, relayId, eventId, messageId, receivedAt, dueAt, isBound, hasCapability } = row;
  const { status, attemptCount, unconfirmedCount, smtpCode, error, nextAttemptAt } = row;
  const { normalized, platform, sourceId, ccEmail, bodyTemplates, categoryAllowlist, routes } = row;
  const { recipient, route, routeNote, categoryName, categoryAt } = row;
  const reply = normalized === null ? null : readStoredEvent(normalized);
  return {
    ...{ id, accountId, connectionId, relayId, eventId, messageId, receivedAt, dueAt, isBound, hasCapability },
    state: { status, attemptCount, unconfirmedCount, smtpCode, error, nextAttemptAt },
    event: reply === null || platform === null || sourceId === null ? null : { normalized: reply, platform, sourceId },
    relay:
      ccEmail === null
        ? null
        : { ccEmail, bodyTemplates: bodyTemplates ?? [], categoryAllowlist: categoryAllowlist ?? [], routes },
    recipient: recipient === null || route === null ? null : { address: recipient, route, note: routeNote },
    latestCategory:
      categoryName === null || categoryAt === null ? null : { id: row.categoryId, name: categoryName, at: categoryAt },
  };
}

/** Stores the state of a mail. @param mail.recipient absent: it stays as it is */
export async function setRelayMail(
  db: Db,
  mail: {
    id: number;
    state: RelayMailState;
    messageId: string | null;
    endedAt: Date | null;
    dueAt?: Date;
    recipient?: RelayRecipient;
  },
): Promise<void> {
  const { id, state, messageId, endedAt, dueAt = null, recipient = null } = mail;
  await db.query(
    {
      name: 'relay-mails-set',
      text: `update relay_mails set status = $2, attempt_count = $3, unconfirmed_count = $4, smtp_code = $5, error = $6,
        next_attempt_at = $7, message_id = $8, ended_at = $9, due_at = coalesce($10, due_at),
        recipient = coalesce($11, recipient), route = coalesce($12, route),
        route_note = case when $12::text is null then route_note else $13 end where id = $1`,
    },
    [
      id,
      state.status,
      state.attemptCount,
      state.unconfirmedCount,
      state.smtpCode,
      state.error,
      state.nextAttemptAt,
      messageId,
      endedAt,
      dueAt,
      recipient?.address ?? null,
      recipient?.route ?? null,
      recipient?.note ?? null,
    ],
  );
}

/** A row of the log of relay mails. */
export interface RelayMailRow {
  id: number;
  relayId: number;
  connectionId: number;
  status: RelayMailStatus;
  attemptCount: number;
  unconfirmedCount: number;
  smtpCode: number | null;
  /** The recipient; before the first attempt the fixed address of the relay, null when the relay was removed. */
  to: string | null;
  route: RecipientRoute | null;
  routeNote: string | null;
  /** The lead; null when the event is no longer stored. */
  lead: string | null;
  messageId: string | null;
  error: string | null;
  dueAt: Date;
  nextAttemptAt: Date | null;
  endedAt: Date | null;
  createdAt: Date;
}

export interface RelayMailFilter {
  id?: number;
  relayId: number | null;
  status: RelayMailStatus | null;
  limit: number;
}

/** Returns the newest mails, newest first. */
export async function listRelayMails(db: Db, filter: RelayMailFilter): Promise<RelayMailRow[]> {
  const { id = null, relayId, status, limit } = filter;
  const { rows } = await db.query<RelayMailRow>(
    `select mails.id, mails.relay_id as "relayId", mails.connection_id as "connectionId", ${STATE},
        coalesce(mails.recipient, relays.cc_email) as "to", mails.route, mails.route_note as "routeNote", events.to_email as lead, mails.message_id as "messageId", mails.due_at as "dueAt",
        mails.ended_at as "endedAt", mails.created_at as "createdAt"
      from relay_mails mails
      left join reply_relays relays on relays.id = mails.relay_id
      left join inbound_events events on events.id = mails.event_id
      where ($1::bigint is null or mails.relay_id = $1) and ($2::text is null or mails.status = $2)
        and ($4::bigint is null or mails.id = $4)
      order by mails.id desc limit $3`,
    [relayId, status, limit, id],
  );
  return rows;
}

/** What reading an owner of a connection's CRM needs. */
export interface RelayConnection {
  id: number;
  crm: string;
  organizationId: string;
  sealedCrmToken: string | null;
  crmCooldownUntil: Date | null;
}

export async function getRelayConnection(db: Db, id: number): Promise<RelayConnection | null> {
  const { rows } = await db.query<RelayConnection>(
    `select id, crm, organization_id as "organizationId", crm_token as "sealedCrmToken",
      crm_parked_until as "crmCooldownUntil" from connections where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** Returns how many relays are bound to a source, and how many mails wait. */
export async function countRelays(db: Db): Promise<{ boundCount: number; waitingCount: number }> {
  const { rows } = await db.query<{ boundCount: number; waitingCount: number }>(
    `select (select count(distinct reply_relay_id) from reply_relay_bindings)::int as "boundCount",
      (select count(*) from relay_mails where ended_at is null)::int as "waitingCount"`,
  );
  return rows[0] ?? { boundCount: 0, waitingCount: 0 };
}

/** Deletes the log of mails that ended before this instant. */
export async function deleteOldRelayMails(db: Db, before: Date): Promise<void> {
  await db.query('delete from relay_mails where ended_at < $1', [before]);
}
