/** Statements about channels of alerts and their messages. `alert-incidents.ts` has those about incidents. */
import type { AlertIncident, AlertMessageKind, AlertTopic, ChannelKind } from '@svc/domain/alerts/alert';
import type { Db } from './database/db.ts';

/** What operators see of a channel. */
export interface AlertChannelRow {
  id: number;
  /** Null: a channel of the installation. */
  accountId: number | null;
  kind: ChannelKind;
  /** The host of its URL, or its mail address. */
  place: string;
  topics: AlertTopic[];
  /** False when it has a URL whose encryption key was lost. */
  isUsable: boolean;
  createdAt: Date;
  lastSentAt: Date | null;
  /** When an alert was given up, and why; null once a later one was sent. */
  failedAt: Date | null;
  lastError: string | null;
  waitingCount: number;
}

/** @param filter default: all. With an account, also those of the installation, which get its alerts */
export async function listAlertChannels(
  db: Db,
  { id = null, accountId = null }: { id?: number | null; accountId?: number | null } = {},
): Promise<AlertChannelRow[]> {
  const { rows } = await db.query<AlertChannelRow>(
    `select c.id, c.account_id as "accountId", c.kind, c.place, c.topics, c.kind = 'mail' or c.target is not null as "isUsable",
        c.created_at as "createdAt", c.last_sent_at as "lastSentAt", c.failed_at as "failedAt", c.last_error as "lastError",
        (select count(*) from alert_messages m where m.channel_id = c.id and m.status = 'waiting') as "waitingCount"
      from alert_channels c
      where ($1::bigint is null or c.id = $1) and ($2::bigint is null or c.account_id = $2 or c.account_id is null) order by c.id`,
    [id, accountId],
  );
  return rows;
}

/** Returns the encrypted target of a channel, which is locked until the caller's transaction ends. */
export async function lockChannelTarget(tx: Db, id: number): Promise<string | null> {
  const { rows } = await tx.query<{ target: string | null }>(
    'select target from alert_channels where id = $1 for update',
    [id],
  );
  return rows[0]?.target ?? null;
}

export interface NewAlertMessage {
  readonly id: number;
  readonly channelId: number;
  readonly channelKind: ChannelKind;
  readonly accountId: number | null;
}

/** Adds a test message to a channel. */
export async function insertTestMessage(tx: Db, channelId: number, now: Date): Promise<NewAlertMessage | null> {
  const { rows } = await tx.query<NewAlertMessage>(
    `with added as (
        insert into alert_messages (channel_id, kind, created_at) select id, 'test', $2 from alert_channels where id = $1
        returning id, channel_id
      )
      select added.id, c.id as "channelId", c.kind as "channelKind", c.account_id as "accountId"
      from added join alert_channels c on c.id = added.channel_id`,
    [channelId, now],
  );
  return rows[0] ?? null;
}

export type AlertMessageStatus = 'waiting' | 'sent' | 'failed';

/** A message with everything that is needed to send it. */
export interface AlertToSend {
  readonly id: number;
  readonly kind: AlertMessageKind;
  readonly status: AlertMessageStatus;
  readonly attemptCount: number;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly channel: {
    readonly id: number;
    readonly kind: ChannelKind;
    readonly place: string;
    readonly sealedTarget: string | null;
  };
  /** Null for a test. */
  readonly incident: AlertIncident | null;
  /** Whether it reports the end of an incident whose beginning still waits to be sent to the channel. */
  readonly isEarly: boolean;
}

interface AlertRow extends Omit<AlertToSend, 'channel' | 'incident'> {
  channelId: number;
  channelKind: ChannelKind;
  place: string;
  sealedTarget: string | null;
  incidentId: number | null;
  topic: AlertTopic;
  accountId: number;
  connectionId: number | null;
  sourceId: number | null;
  facts: AlertIncident['facts'];
  openedAt: Date;
  clearedAt: Date | null;
}

export async function getAlertToSend(db: Db, messageId: number): Promise<AlertToSend | null> {
  const { rows } = await db.query<AlertRow>(
    {
      name: 'alerts-to-send',
      text: `select m.id, m.kind, m.status, m.attempt_count as "attemptCount", m.error, m.created_at as "createdAt",
          c.id as "channelId", c.kind as "channelKind", c.place, c.target as "sealedTarget",
          i.id as "incidentId", i.topic, i.account_id as "accountId", i.connection_id as "connectionId",
          i.source_id as "sourceId", i.facts, i.opened_at as "openedAt", i.cleared_at as "clearedAt",
          m.kind = 'recovered' and exists (select from alert_messages o where o.channel_id = m.channel_id
            and o.incident_id = m.incident_id and o.kind = 'opened' and o.status = 'waiting') as "isEarly"
        from alert_messages m join alert_channels c on c.id = m.channel_id
          left join alert_incidents i on i.id = m.incident_id
        where m.id = $1`,
    },
    [messageId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { channelId, channelKind, place, sealedTarget, incidentId, ...message } = row;
  const { topic, accountId, connectionId, sourceId, facts, openedAt, clearedAt } = row;
  return {
    ...message,
    channel: { id: channelId, kind: channelKind, place, sealedTarget },
    incident:
      incidentId === null
        ? null
        : { id: incidentId, topic, accountId, connectionId, sourceId, facts, openedAt, clearedAt },
  };
}

/** What became of a message after an attempt. */
export interface AlertMessageState {
  readonly status: AlertMessageStatus;
  readonly attemptCount: number;
  readonly error: string | null;
}

/** Stores the state of a message, and what an ended one says of its channel. */
export async function setAlertMessage(
  tx: Db,
  { id, channel }: Pick<AlertToSend, 'id' | 'channel'>,
  { status, attemptCount, error }: AlertMessageState,
  at: Date,
): Promise<void> {
  await tx.query(
    {
      name: 'alert-messages-set',
      text: `update alert_messages set status = $2, attempt_count = $3, error = $4,
        ended_at = case when $2 = 'waiting' then null else $5::timestamptz end where id = $1`,
    },
    [id, status, attemptCount, error, at],
  );
  if (status === 'sent') {
    await tx.query('update alert_channels set last_sent_at = $2, failed_at = null, last_error = null where id = $1', [
      channel.id,
      at,
    ]);
  } else if (status === 'failed') {
    await tx.query('update alert_channels set failed_at = $2, last_error = $3 where id = $1', [channel.id, at, error]);
  }
}
