/** What became of the events of a receipt: attempts to write them, forwardings and mails. */
import type { Db } from './database/db.ts';

/** A receipt of thousands of events has more rows than anybody reads. */
const ROWS_MAX = 500;

export interface StorySync {
  id: number;
  retryOfSyncId: number | null;
  status: string;
  eventType: string;
  toEmail: string;
  error: Record<string, unknown> | null;
  createdAt: Date;
}

export interface StoryDelivery {
  id: number;
  destinationId: number;
  destinationUrl: string;
  status: string;
  httpStatus: number | null;
  eventType: string | null;
  error: string | null;
  createdAt: Date;
}

export interface StoryMail {
  id: number;
  relayId: number;
  eventId: number;
  status: string;
  attempts: number;
  /** Why it was not sent. */
  error: string | null;
  dueAt: Date;
  endedAt: Date | null;
}

export interface ReceiptStory {
  syncs: StorySync[];
  deliveries: StoryDelivery[];
  mails: StoryMail[];
}

/**
 * Returns the oldest rows of each kind, oldest first. The logs have no index by receipt, but one by recipient: the rows of the recipients of the
 * receipt's events are few.
 */
export async function readReceiptStory(
  db: Db,
  receipt: { id: number; accountId: number; connectionId: number | null; createdAt: Date },
  recipients: readonly string[],
  eventIds: readonly number[],
): Promise<ReceiptStory> {
  if (recipients.length === 0) return { syncs: [], deliveries: [], mails: [] };
  const keys = [receipt.accountId, [...new Set(recipients)], receipt.id, receipt.createdAt];
  const ofReceipt = `rows.account_id = $1 and lower(rows.to_email) = any(array(select lower(each) from unnest($2::text[]) as each))
    and rows.payload_id = $3 and rows.created_at >= $4 order by rows.created_at, rows.id limit ${ROWS_MAX}`;
  const syncs = await db.query<StorySync>(
    `select rows.id, rows.retry_of_sync_id as "retryOfSyncId", rows.status, rows.event_type as "eventType",
        rows.to_email as "toEmail", rows.error, rows.created_at as "createdAt"
      from syncs rows where ${ofReceipt}`,
    keys,
  );
  const deliveries = await db.query<StoryDelivery>(
    `select rows.id, rows.destination_id as "destinationId", rows.destination_url as "destinationUrl", rows.status,
        rows.http_status as "httpStatus", rows.event_type as "eventType", rows.error, rows.created_at as "createdAt"
      from deliveries rows where ${ofReceipt}`,
    keys,
  );
  // The unique key begins with the relay. Mails of removed relays are left out.
  const mails = await db.query<StoryMail>(
    `select mails.id, mails.relay_id as "relayId", mails.event_id as "eventId", mails.status,
        mails.attempt_count as attempts, mails.error, mails.due_at as "dueAt", mails.ended_at as "endedAt"
      from reply_relays relays join relay_mails mails on mails.relay_id = relays.id and mails.event_id = any($2::bigint[])
      where relays.connection_id = $1 order by mails.id limit ${ROWS_MAX}`,
    [receipt.connectionId, eventIds],
  );
  return { syncs: syncs.rows, deliveries: deliveries.rows, mails: mails.rows };
}
