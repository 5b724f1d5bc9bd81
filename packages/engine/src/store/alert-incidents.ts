/** Statements about incidents and the messages that they cause. */
import type { AlertIncident } from '@svc/domain/alerts/alert';
import type { AlertCondition, OpenIncidentState } from '@svc/domain/alerts/incident-plan';
import type { NewAlertMessage } from './alerts.ts';
import type { Db } from './database/db.ts';

/** Held by the one process that looks for incidents. */
const WATCH_LOCK = 0x53_56_43_08;

/** Takes the lock of the watch until the transaction ends. False when another process looks. */
export async function takeWatchLock(tx: Db): Promise<boolean> {
  const { rows } = await tx.query<{ isFree: boolean }>('select pg_try_advisory_xact_lock($1) as "isFree"', [
    WATCH_LOCK,
  ]);
  return rows[0]?.isFree === true;
}

/** Returns whether there is a channel, or an open incident whose end has to be stored. */
export async function hasAlertChannels(db: Db): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'alerts-used',
    text: `select from (select 1) one where exists (select from alert_channels)
      or exists (select from alert_incidents where closed_at is null)`,
  });
  return rowCount > 0;
}

/** @param filter.accountId default: of all accounts */
export async function listOpenIncidents(
  db: Db,
  { accountId = null }: { accountId?: number | null } = {},
): Promise<(AlertIncident & OpenIncidentState)[]> {
  const { rows } = await db.query<AlertIncident & OpenIncidentState>(
    `select id, topic, subject, account_id as "accountId", connection_id as "connectionId", source_id as "sourceId", facts,
        opened_at as "openedAt", cleared_at as "clearedAt"
      from alert_incidents where closed_at is null and ($1::bigint is null or account_id = $1) order by id`,
    [accountId],
  );
  return rows;
}

/** How many incidents that have ended are shown. */
const CLOSED_MAX = 20;

/** Returns the incidents that ended last, newest first. @param filter.accountId default: of all accounts */
export async function listClosedIncidents(
  db: Db,
  { accountId = null }: { accountId?: number | null } = {},
): Promise<(AlertIncident & { closedAt: Date })[]> {
  const { rows } = await db.query<AlertIncident & { closedAt: Date }>(
    `select id, topic, account_id as "accountId", connection_id as "connectionId", source_id as "sourceId", facts,
        opened_at as "openedAt", cleared_at as "clearedAt", closed_at as "closedAt"
      from alert_incidents where closed_at is not null and ($1::bigint is null or account_id = $1)
      order by closed_at desc, id desc limit ${CLOSED_MAX}`,
    [accountId],
  );
  return rows;
}

const MESSAGES = `select added.id, c.id as "channelId", c.kind as "channelKind", c.account_id as "accountId"
  from added join alert_channels c on c.id = added.channel_id order by added.id`;
/** SQL for the channels `c` that get messages about the incident `i`. */
const AUDIENCE = `(c.account_id is null or c.account_id = i.account_id) and i.topic = any(c.topics)`;

/**
 * Stores incidents, and a message for each channel of their account and topic.
 *
 * @param isMoment whether they end at once. Those for which there is no channel are then not stored
 */
export async function beginIncidents(
  tx: Db,
  conditions: readonly AlertCondition[],
  { now, isMoment }: { now: Date; isMoment: boolean },
): Promise<NewAlertMessage[]> {
  if (conditions.length === 0) return [];
  const { rows } = await tx.query<NewAlertMessage>(
    {
      name: 'alert-incidents-begin',
      text: `with begun as (
          insert into alert_incidents (topic, subject, account_id, connection_id, source_id, facts, opened_at, closed_at)
          select topic, subject, account_id, connection_id, source_id, facts::jsonb, $7, case when $8 then $7::timestamptz end
          from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])
            as i (topic, subject, account_id, connection_id, source_id, facts)
          where not $8 or exists (select from alert_channels c where ${AUDIENCE})
          on conflict do nothing returning id, topic, account_id
        ), added as (
          insert into alert_messages (channel_id, incident_id, kind, created_at)
          select c.id, i.id, 'opened', $7 from begun i join alert_channels c on ${AUDIENCE} returning id, channel_id
        )
        ${MESSAGES}`,
    },
    [
      conditions.map(({ topic }) => topic),
      conditions.map(({ subject }) => subject),
      conditions.map(({ accountId }) => accountId),
      conditions.map(({ connectionId }) => connectionId),
      conditions.map(({ sourceId }) => sourceId),
      conditions.map(({ facts }) => JSON.stringify(facts)),
      now,
      isMoment,
    ],
  );
  return rows;
}

/** Stores since when conditions do not hold; null: they hold again. */
export async function setCleared(tx: Db, ids: readonly number[], clearedAt: Date | null): Promise<void> {
  if (ids.length === 0) return;
  await tx.query('update alert_incidents set cleared_at = $2 where id = any($1)', [ids, clearedAt]);
}

/** Ends incidents, and stores a message for each channel that got one about their beginning. */
export async function endIncidents(tx: Db, ids: readonly number[], now: Date): Promise<NewAlertMessage[]> {
  if (ids.length === 0) return [];
  const { rows } = await tx.query<NewAlertMessage>(
    `with ended as (
        update alert_incidents set closed_at = $2 where id = any($1::bigint[]) and closed_at is null returning id
      ), added as (
        insert into alert_messages (channel_id, incident_id, kind, created_at)
        select m.channel_id, m.incident_id, 'recovered', $2 from alert_messages m join ended on ended.id = m.incident_id
        where m.kind = 'opened' and m.status <> 'failed'
        on conflict do nothing returning id, channel_id
      )
      ${MESSAGES}`,
    [ids, now],
  );
  return rows;
}

/** Deletes incidents that ended before, with their messages, and old tests. */
export async function deleteOldAlerts(db: Db, before: Date): Promise<void> {
  await db.query('delete from alert_incidents where closed_at < $1', [before]);
  await db.query('delete from alert_messages where incident_id is null and created_at < $1', [before]);
}
