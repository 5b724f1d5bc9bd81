import type { Access } from '@svc/domain/requests/access';
import type { RelayRoute } from '@svc/domain/relays/relay-routes';
import type { ReplyRelayRow } from '@svc/domain/resources';
import type { Db } from './database/db.ts';

/** A relay with what the API does not show. */
export interface StoredReplyRelay extends ReplyRelayRow {
  /** Null: all replies go to the fixed address. */
  readonly routes: RelayRoute[] | null;
}

/** Returns the reply relays this access sees by ascending id. */
export async function listReplyRelays(db: Db, access: Access): Promise<StoredReplyRelay[]> {
  const { rows } = await db.query<StoredReplyRelay>(
    {
      name: 'reply-relays-list',
      text: `select r.id, r.connection_id as "connectionId", r.description, r.cc_email as "ccEmail",
          r.delay_minutes as "delayMinutes", r.body_templates as "bodyTemplates",
          r.category_allowlist as "categoryAllowlist",
          array(select b.source_id from reply_relay_bindings b where b.reply_relay_id = r.id) as "sourceIds",
          r.created_at as "createdAt", r.routes
        from reply_relays r where r.connection_id = any($1) order by r.id`,
    },
    [access.connectionIds],
  );
  return rows;
}
