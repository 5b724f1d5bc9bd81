import { build, type Db } from '../../store/database/db.ts';

export interface NewRelay {
  connectionId: number;
  description: string;
  ccEmail: string;
  delayMinutes: number;
  bodyTemplates: readonly string[];
  categoryAllowlist: readonly { id: string; name: string }[];
  at: Date;
}

export async function insertRelay(db: Db, relay: NewRelay): Promise<number> {
  const statement = build
    .insertInto('reply_relays')
    .values({
      connection_id: relay.connectionId,
      description: relay.description,
      cc_email: relay.ccEmail,
      delay_minutes: relay.delayMinutes,
      body_templates: [...relay.bodyTemplates],
      category_allowlist: JSON.stringify(relay.categoryAllowlist),
      created_at: relay.at,
    })
    .returning('id');
  const [row] = await db.run(statement.compile());
  if (!row) throw new Error('The relay was not stored.');
  return row.id;
}

/** @returns the relay's connection; null when there is no such relay */
export async function updateRelay(
  db: Db,
  id: number,
  changes: { [field in keyof Omit<NewRelay, 'connectionId' | 'at'>]?: NewRelay[field] | undefined },
): Promise<number | null> {
  const { description, ccEmail, delayMinutes, bodyTemplates, categoryAllowlist } = changes;
  const statement = build
    .updateTable('reply_relays')
    // Kysely omits undefined values.
    .set({
      description,
      cc_email: ccEmail,
      delay_minutes: delayMinutes,
      body_templates: bodyTemplates === undefined ? undefined : [...bodyTemplates],
      category_allowlist: categoryAllowlist === undefined ? undefined : JSON.stringify(categoryAllowlist),
    })
    .where('id', '=', id)
    .returning('connection_id');
  const [row] = await db.run(statement.compile());
  return row?.connection_id ?? null;
}

/** Returns null when there is no such relay. */
export async function findRelayConnection(db: Db, id: number): Promise<number | null> {
  const [row] = await db.run(build.selectFrom('reply_relays').select('connection_id').where('id', '=', id).compile());
  return row?.connection_id ?? null;
}

/**
 * Binds a source to a relay, replacing its previous one.
 *
 * @returns the replaced relay, if another
 */
export async function setRelayOfSource(tx: Db, relayId: number, sourceId: number): Promise<number | null> {
  // Concurrent bindings of one source wait for each other, so that each knows which one it replaces.
  await tx.query('select from sources where id = $1 for update', [sourceId]);
  const before = build.selectFrom('reply_relay_bindings').select('reply_relay_id').where('source_id', '=', sourceId);
  const [row] = await tx.run(before.compile());
  const statement = build
    .insertInto('reply_relay_bindings')
    .values({ source_id: sourceId, reply_relay_id: relayId })
    .onConflict((conflict) => conflict.column('source_id').doUpdateSet({ reply_relay_id: relayId }));
  await tx.run(statement.compile());
  return row === undefined || row.reply_relay_id === relayId ? null : row.reply_relay_id;
}

/** @returns whether the relay was bound to the source */
export async function deleteRelayBinding(db: Db, relayId: number, sourceId: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from reply_relay_bindings where reply_relay_id = $1 and source_id = $2', [
    relayId,
    sourceId,
  ]);
  return rowCount > 0;
}
