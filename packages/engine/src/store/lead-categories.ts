import type { EventCategory } from '@svc/domain/policy/plan-write';
import type { Db } from './database/db.ts';
import type { EventToWrite } from './sync-attempts.ts';

/** Returns the category that the lead of each event has now, by event; leads without one are absent. @param events of one connection */
export async function listLatestCategories(
  db: Db,
  { accountId, id: connectionId }: Pick<EventToWrite['connection'], 'accountId' | 'id'>,
  events: readonly Pick<EventToWrite, 'id' | 'platform' | 'event'>[],
): Promise<Map<number, EventCategory>> {
  if (events.length === 0) return new Map();
  const leads = events.flatMap(({ id, platform, event: { toEmail, contact } }) =>
    [toEmail, contact.email, contact.profileUrl].flatMap((identity) =>
      identity === null ? [] : [{ id, platform, identity: identity.toLowerCase() }],
    ),
  );
  const { rows } = await db.query<EventCategory & { eventId: number }>(
    {
      name: 'category-signals-latest',
      text: `select distinct on (leads.event_id) leads.event_id as "eventId", signals.category_id as id,
          signals.category_name as name
        from unnest($3::bigint[], $4::text[], $5::text[]) as leads (event_id, identity, platform)
        join category_signals signals on signals.account_id = $1 and signals.connection_id = $2
          and signals.identity = leads.identity and (signals.platform is null or signals.platform = leads.platform)
        order by leads.event_id, signals.at desc, signals.id desc`,
    },
    [
      accountId,
      connectionId,
      leads.map(({ id }) => id),
      leads.map(({ identity }) => identity),
      leads.map(({ platform }) => platform),
    ],
  );
  return new Map(rows.map(({ eventId, ...category }) => [eventId, category]));
}
