import type { Db } from '@svc/engine/store/database/db';

/** Something outside of this server that it writes to. */
export interface Target {
  kind: 'connection' | 'destination' | 'webhook' | 'block list';
  /** The CRM of a connection, the platform of a block list without an instance, otherwise the host and port of the URL. */
  name: string;
  count: number;
}

/** Counts everything that the server writes to as configured now: what is switched on, bound and has a token. */
export async function countTargets(db: Db): Promise<Target[]> {
  const host = (column: string) => `lower(substring(${column} from '(?i)^https?://(?:[^/?#]*@)?([^/?#]+)'))`;
  const { rows } = await db.query<Target>(
    `select 'connection' as kind, crm as name, count(*) from connections
        where capability_sync and crm_token is not null group by 2
      union all select 'destination', ${host('d.url')} as name, count(*)
        from destinations d join connections c on c.id = d.connection_id
        where c.capability_destinations
          and exists (select from destination_bindings b where b.destination_id = d.id) group by 2
      union all select 'webhook', ${host('w.url')} as name, count(*)
        from webhooks w join accounts a on a.id = w.account_id
        where a.can_use_webhooks and w.is_active and w.deleted_at is null group by 2
      union all select 'block list', coalesce(${host('l.instance_url')}, l.platform) as name, count(*)
        from blocklists l join connections c on c.id = l.connection_id
        where c.capability_blocklists and l.is_enabled group by 2
      order by kind, count desc, name`,
  );
  return rows;
}
