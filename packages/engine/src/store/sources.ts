import type { Access } from '@svc/domain/requests/access';
import type { NamedRow } from '@svc/domain/requests/list-filters';
import type { SourceRow } from '@svc/domain/resources';
import { worldSchema } from '@svc/domain/world';
import type { Db } from './database/db.ts';
import { jsonOfFields, selectFields } from './database/rows.ts';

const {
  config,
  mapping: _mapping,
  policy: _policy,
  secrets: _secrets,
  ...own
} = worldSchema.shape.sources.element.shape;
const OWN_FIELDS = Object.keys(own);
/** The fields of a source's `config`, each a column of `sources`. */
export const SOURCE_CONFIG_FIELDS = Object.keys(config.shape);

/** Returns the sources this access sees by ascending id, with their bindings. @param ids only these. Default: all */
export async function listSources(db: Db, access: Access, ids: readonly number[] | null = null): Promise<SourceRow[]> {
  const { rows } = await db.query<SourceRow>(
    {
      name: 'sources-list',
      text: `select ${selectFields('s', OWN_FIELDS)}, c.crm, ${jsonOfFields('s', SOURCE_CONFIG_FIELDS)} as config,
        coalesce((select json_agg(json_build_object('url', d.url, 'description', d.description,
            'eventTypes', b.event_types, 'isDelayed', b.is_delayed) order by d.id)
          from destination_bindings b join destinations d on d.id = b.destination_id
          where b.source_id = s.id), '[]') as destinations,
        (select json_build_object('id', r.id, 'description', r.description, 'ccEmail', r.cc_email,
            'delayMinutes', r.delay_minutes)
          from reply_relay_bindings b join reply_relays r on r.id = b.reply_relay_id
          where b.source_id = s.id) as "replyRelay"
        from sources s join connections c on c.id = s.connection_id
        where s.connection_id = any($1) and ($2::bigint[] is null or s.id = any($2)) order by s.id`,
    },
    [access.connectionIds, ids],
  );
  return rows;
}

/** Returns those of these sources whose bounces and opt-outs are also recorded on the contact. The API does not show it. */
export async function listStateFieldSources(db: Db, sourceIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    { name: 'sources-with-state-fields', text: 'select id from sources where id = any($1) and write_state_fields' },
    [sourceIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns the source that a filter or path names. */
export async function findNamedSource(db: Db, id: number): Promise<NamedRow> {
  const { rows } = await db.query<{ connectionId: number }>(
    { name: 'sources-named', text: 'select connection_id as "connectionId" from sources where id = $1' },
    [id],
  );
  return { id, connectionId: rows[0]?.connectionId ?? null };
}

/** Returns the platform of a source; null when there is no such source. */
export async function findSourcePlatform(db: Db, id: number): Promise<string | null> {
  const { rows } = await db.query<{ platform: string }>('select platform from sources where id = $1', [id]);
  return rows[0]?.platform ?? null;
}

/** Returns whether any connection of this access has a source. */
export async function hasSources(db: Db, access: Access): Promise<boolean> {
  const { rowCount } = await db.query(
    { name: 'sources-any', text: 'select from sources where connection_id = any($1) limit 1' },
    [access.connectionIds],
  );
  return rowCount > 0;
}
