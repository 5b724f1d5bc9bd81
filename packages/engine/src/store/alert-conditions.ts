/**
 * The conditions of incidents, one statement per topic over what is stored and indexed. Each returns the conditions that hold at
 * `$1`. A condition that cannot be judged at the moment holds while its incident is open.
 */
import type { AlertTopic } from '@svc/domain/alerts/alert';
import type { AlertCondition } from '@svc/domain/alerts/incident-plan';
import { REFUSED_ENTRIES_LIKE } from '@svc/domain/blocklists/blocklist-errors';
import { FETCH_BLOCKLIST, PUSH_BLOCKLIST, PUSH_SUPPRESSIONS } from '../jobs/kinds.ts';
import type { Db } from './database/db.ts';

const isOpen = (topic: AlertTopic, subject: string) =>
  `exists (select from alert_incidents i where i.topic = '${topic}' and i.subject = ${subject} and i.closed_at is null)`;

const HALF_AN_HOUR_AGO = `$1::timestamptz - interval '30 minutes'`;
/** The calls of a job `j` for a block list have failed twice in a row. */
const FAILS = `(j.state->>'failureCount')::int >= 2`;

const CONDITIONS: Readonly<Record<Exclude<AlertTopic, 'interested-reply'>, string>> = {
  // A connection that nothing uses may stay without a token.
  'crm-disconnected': `select c.account_id, c.id as connection_id, null::bigint as source_id, 'connection ' || c.id as subject,
      jsonb_build_object('crm', c.crm, 'connectionId', c.id) as facts
    from connections c
    where c.crm_token is null and (c.capability_sync and exists (select from sources s where s.connection_id = c.id)
      or c.capability_blocklists and exists (select from blocklists l
        where l.connection_id = c.id and l.is_enabled and l.crm_list_id is not null))`,

  // A disconnected CRM is an incident of its own, so its sources do not begin others.
  'source-failing': `select c.account_id, c.id as connection_id, s.id as source_id, 'source ' || s.id as subject,
      jsonb_build_object('platform', s.platform, 'sourceId', s.id, 'crm', c.crm, 'failures', h.consecutive_failures) as facts
    from sync_health h join sources s on s.id = h.source_id and s.connection_id = h.connection_id
      join connections c on c.id = s.connection_id
    where h.failing_since is not null and c.capability_sync
      and (c.crm_token is not null or ${isOpen('source-failing', `'source ' || s.id`)})`,

  // The usual pause is the longest one in the 14 days before the last post, by the hours that had posts, of which there must be a week. A source
  // whose last post is older than four weeks is not used any more.
  'source-silent': `with latest as (
      select c.account_id, s.connection_id, s.id, s.platform, r.created_at as last_at
      from sources s join connections c on c.id = s.connection_id cross join lateral (
        select r.created_at from requests r
        where r.source_id = s.id and r.created_at >= $1::timestamptz - interval '28 days' and r.created_at <= $1
          and r.backfill_run_id is null
        order by r.created_at desc limit 1) r
      where r.created_at < $1::timestamptz - interval '6 hours'
    ), paused as (
      select latest.*, extract(epoch from $1::timestamptz - last_at) / 3600 as silent_hours, p.usual_hours
      from latest cross join lateral (
        select max(gap) as usual_hours, min(hour) as first_hour from (
          select hour, extract(epoch from hour - lag(hour) over (order by hour)) / 3600 as gap from hour_counts
          where log = 'requests' and owner_id = latest.connection_id and part_id = latest.id and counted > 0
            and hour >= last_at - interval '14 days' and hour <= last_at
        ) hours
      ) p
      where p.first_hour <= last_at - interval '7 days'
    )
    select account_id, connection_id, id as source_id, 'source ' || id as subject,
      jsonb_build_object('platform', platform, 'sourceId', id, 'silentHours', floor(silent_hours), 'usualHours', ceil(usual_hours)) as facts
    from paused where silent_hours > greatest(6, 1.5 * usual_hours)
    union all
    select i.account_id, i.connection_id, i.source_id, i.subject, i.facts from alert_incidents i
    where i.topic = 'source-silent' and i.closed_at is null and i.opened_at < $1::timestamptz - interval '21 days'
      and exists (select from sources s where s.id = i.source_id)
      and not exists (select from requests r where r.source_id = i.source_id and r.created_at > i.opened_at
        and r.backfill_run_id is null)`,

  // It stays until an hour has posts and all of them are understood.
  'receipts-not-understood': `select c.account_id, c.id as connection_id, s.id as source_id, 'source ' || s.id as subject,
      jsonb_build_object('platform', s.platform, 'sourceId', s.id, 'unparsed', u.unparsed, 'received', r.received) as facts
    from sources s join connections c on c.id = s.connection_id
      cross join lateral (select count(*) as unparsed from requests
        where source_id = s.id and outcome = 'unparsed' and created_at > $1::timestamptz - interval '1 hour') u
      cross join lateral (select count(*) as received from requests
        where source_id = s.id and created_at > $1::timestamptz - interval '1 hour'
          and (u.unparsed >= 5 or ${isOpen('receipts-not-understood', `'source ' || s.id`)})) r
    where u.unparsed >= 5 and u.unparsed * 10 >= r.received
      or ${isOpen('receipts-not-understood', `'source ' || s.id`)} and (u.unparsed > 0 or r.received = 0)`,

  /**
   * A round ends with an error when waiting does not help, such as an unknown key, or after ten tries. Other failures are tried again
   * within seconds or minutes, and a sequencer that is updated is away for some of them: they count after half an hour without an entry
   * that arrived, when the last two tries failed. A round that ended without the entries that the sequencer refuses one by one is not stuck.
   */
  'blocklist-stuck': `select c.account_id, c.id as connection_id, null::bigint as source_id, 'blocklist ' || l.id as subject,
      jsonb_build_object('platform', l.platform, 'blocklistId', l.id) as facts
    from blocklists l join connections c on c.id = l.connection_id
    where l.is_enabled and c.capability_blocklists and (
      l.last_error not like '${REFUSED_ENTRIES_LIKE}'
      or exists (select from jobs j where j.kind = '${FETCH_BLOCKLIST}' and j.ref = l.id::text and ${FAILS}
        and j.created_at <= ${HALF_AN_HOUR_AGO})
      or exists (select from jobs j where j.kind = '${PUSH_BLOCKLIST}' and j.ref = l.id || '/' || l.run and ${FAILS}
        and l.last_attempted_at <= ${HALF_AN_HOUR_AGO})
      or l.suppression_error is not null and exists (select from jobs j
        where j.kind = '${PUSH_SUPPRESSIONS}' and j.ref = l.id::text and ((j.state->>'isRefused')::boolean or ${FAILS}
          and not exists (select from suppressions p where p.blocklist_id = l.id and p.pushed_at > ${HALF_AN_HOUR_AGO})
          and exists (select from suppressions w where w.blocklist_id = l.id and w.pushed_at is null and w.refused_at is null
            and w.created_at <= ${HALF_AN_HOUR_AGO})))
      or l.removal_error is not null and not exists (select from blocklist_removals r where r.blocklist_id = l.id
        and r.removed_at is null and r.refused_at is null and r.created_at > ${HALF_AN_HOUR_AGO}))`,

  // Until a CRM says what is used, its day is 24 hours of our own.
  'daily-limit-near': `select c.account_id, c.id as connection_id, null::bigint as source_id, 'connection ' || c.id as subject,
      jsonb_build_object('crm', c.crm, 'connectionId', c.id, 'percent', least(100, floor(100 * d.used / d.day_limit))) as facts
    from crm_quotas q join connections c on c.id = q.connection_id
      cross join lateral (select (q.state->'day'->>'used')::numeric as used, (q.state->'day'->>'limit')::numeric as day_limit,
        (q.state->'day'->>'isTold')::boolean as is_told, (q.state->'day'->>'startedMs')::numeric as started_ms) d
    where d.day_limit > 0 and d.used >= 0.9 * d.day_limit
      and (d.is_told or d.started_ms > extract(epoch from $1::timestamptz - interval '24 hours') * 1000)`,

  'wiring-drift': `select c.account_id, c.id as connection_id, s.id as source_id, 'source ' || s.id as subject,
      jsonb_build_object('platform', s.platform, 'sourceId', s.id) as facts
    from source_wirings w join sources s on s.id = w.source_id join connections c on c.id = s.connection_id
    where w.error is not null`,
};

/** Returns the conditions that hold. */
export async function listAlertConditions(tx: Db, now: Date): Promise<AlertCondition[]> {
  const conditions: AlertCondition[] = [];
  for (const [topic, text] of Object.entries(CONDITIONS)) {
    const { rows } = await tx.query<AlertCondition>(
      {
        name: `alert-conditions-${topic}`,
        text: `select $2::text as topic, account_id as "accountId", connection_id as "connectionId", source_id as "sourceId",
            subject, facts from (${text}) conditions where $1::timestamptz is not null`,
      },
      [now, topic],
    );
    conditions.push(...rows);
  }
  return conditions;
}
