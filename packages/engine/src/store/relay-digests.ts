/** Statements about the hours of relays, and the digests of the mails above their limit. */
import { nextDigestTime, relayHour } from '@svc/domain/relays/relay-limit';
import type { Db } from './database/db.ts';
import { getRelayMailToSend, listRelayMailsToSend, type RelayMailToSend } from './relay-mails.ts';

/** Returns how many mails the relay has begun in this hour. Whoever asks waits for others that count until they are done. */
export async function lockRelayHour(tx: Db, relayId: number, hour: Date): Promise<number> {
  const { rows } = await tx.query<{ begunCount: number }>(
    `insert into relay_hours as hours (relay_id, hour, begun_count) values ($1, $2, 0)
      on conflict (relay_id, hour) do update set begun_count = hours.begun_count returning begun_count as "begunCount"`,
    [relayId, hour],
  );
  return rows[0]?.begunCount ?? 0;
}

/** Counts a mail that begins. */
export async function countRelayMail(tx: Db, relayId: number, hour: Date): Promise<void> {
  await tx.query('update relay_hours set begun_count = begun_count + 1 where relay_id = $1 and hour = $2', [
    relayId,
    hour,
  ]);
}

/** Puts the reply of a mail into the digest that is due then, or into the next one that no attempt was made at. */
export async function joinDigest(
  tx: Db,
  mail: Pick<RelayMailToSend, 'id' | 'accountId' | 'connectionId' | 'relayId'>,
  { digestAt, now }: { digestAt: Date; now: Date },
): Promise<{ digestId: number; digestAt: Date; isNew: boolean }> {
  const { relayId } = mail;
  const hour = relayHour(new Date(digestAt.getTime() - 1));
  await lockRelayHour(tx, relayId, hour);
  const { rows } = await tx.query<{ id: number; isOpen: boolean }>(
    `select mails.id, mails.status = 'waiting' and mails.attempt_count = 0 as "isOpen" from relay_hours hours
      join relay_mails mails on mails.id = hours.digest_id
      where hours.relay_id = $1 and hours.hour = $2 for update of mails`,
    [relayId, hour],
  );
  const [known] = rows;
  if (known?.isOpen === false) return joinDigest(tx, mail, { digestAt: nextDigestTime(digestAt), now });
  const digestId = known?.id ?? (await insertDigest(tx, mail, { digestAt, now, hour }));
  await tx.query('insert into relay_digest_replies (digest_id, mail_id) values ($1, $2) on conflict do nothing', [
    digestId,
    mail.id,
  ]);
  return { digestId, digestAt, isNew: known === undefined };
}

async function insertDigest(
  tx: Db,
  { accountId, connectionId, relayId }: Pick<RelayMailToSend, 'accountId' | 'connectionId' | 'relayId'>,
  { digestAt, now, hour }: { digestAt: Date; now: Date; hour: Date },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `with digest as (
        insert into relay_mails (account_id, connection_id, relay_id, status, received_at, due_at, next_attempt_at, created_at)
        values ($1, $2, $3, 'waiting', $4, $4, $4, $5) returning id
      )
      update relay_hours set digest_id = digest.id from digest where relay_id = $3 and hour = $6 returning digest.id`,
    [accountId, connectionId, relayId, digestAt, now, hour],
  );
  const [digest] = rows;
  if (digest === undefined) throw new Error(`the hour of relay ${relayId} was not locked`);
  return digest.id;
}

export interface RelayDigestToSend {
  mail: RelayMailToSend;
  /** The mails whose replies it lists, oldest first, at most as many as were asked for. */
  replies: RelayMailToSend[];
  /** How many more replies the digest has. */
  unlistedCount: number;
}

/** Returns a digest with its replies; from then on it takes no more of them. Null when the digest was removed. */
export async function lockDigest(tx: Db, id: number, repliesMax: number): Promise<RelayDigestToSend | null> {
  await tx.query('select from relay_mails where id = $1 for update', [id]);
  const mail = await getRelayMailToSend(tx, id);
  if (mail === null) return null;
  const { rows } = await tx.query<{ mailId: number }>(
    `select replies.mail_id as "mailId" from relay_digest_replies replies join relay_mails mails on mails.id = replies.mail_id
      where replies.digest_id = $1 and mails.status = 'digest' order by replies.mail_id`,
    [id],
  );
  const ids = rows.map(({ mailId }) => mailId);
  const replies = await listRelayMailsToSend(tx, ids.slice(0, repliesMax));
  return { mail, replies, unlistedCount: Math.max(0, ids.length - repliesMax) };
}

/** Deletes what is no longer needed: counts of hours before this instant, and the replies of digests that are gone. */
export async function deleteOldRelayHours(db: Db, before: Date): Promise<void> {
  await db.query('delete from relay_hours where hour < $1', [before]);
  await db.query(
    'delete from relay_digest_replies replies where not exists (select from relay_mails where id = replies.digest_id)',
  );
}
