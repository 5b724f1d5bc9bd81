/**
 * The schema of a *world*: one JSON document with all data that a server or a mock starts with, one array per kind of row.
 *
 * It checks each row by itself; `integrity.ts` checks rows against each other. `parseWorld` does both.
 */
import * as z from 'zod';
import {
  worldAccountSchema,
  worldApiKeySchema,
  worldBlocklistSchema,
  worldConnectionSchema,
  worldDestinationSchema,
  worldReplyRelaySchema,
  worldSourceSchema,
  worldWebhookSchema,
} from './configuration-schemas.ts';
import { type Instant, text } from './fields.ts';
import {
  worldCategorySignalSchema,
  worldDeliverySchema,
  worldEventSchema,
  worldRequestSchema,
  worldSyncHealthSchema,
  worldSyncSchema,
  worldWebhookDeliverySchema,
} from './log-schemas.ts';

export const worldSchema = z.strictObject({
  version: z.literal(1),
  name: text,
  accounts: z.array(worldAccountSchema),
  apiKeys: z.array(worldApiKeySchema),
  connections: z.array(worldConnectionSchema),
  sources: z.array(worldSourceSchema),
  destinations: z.array(worldDestinationSchema),
  replyRelays: z.array(worldReplyRelaySchema),
  blocklists: z.array(worldBlocklistSchema),
  requests: z.array(worldRequestSchema),
  syncs: z.array(worldSyncSchema),
  deliveries: z.array(worldDeliverySchema),
  categorySignals: z.array(worldCategorySignalSchema),
  syncHealth: z.array(worldSyncHealthSchema),
  webhooks: z.array(worldWebhookSchema),
  events: z.array(worldEventSchema),
  webhookDeliveries: z.array(worldWebhookDeliverySchema),
});

/** A parsed world; instants are still text. */
export type World = z.infer<typeof worldSchema>;
/** A world before parsing, for code that writes worlds. */
export type WorldInput = z.input<typeof worldSchema>;
/** The keys of a world that hold rows. */
export type WorldEntity = Exclude<keyof World, 'version' | 'name'>;

/** A row whose instants are `Date`s. */
export type MaterializedRow<Row> = {
  [Key in keyof Row]: Row[Key] extends Instant ? Date : Row[Key] extends Instant | null ? Date | null : Row[Key];
};
/** A world loaded at a certain time: like `World`, with `Date`s. */
export type MaterializedWorld = Pick<World, 'version' | 'name'> & {
  [Entity in WorldEntity]: MaterializedRow<World[Entity][number]>[];
};

export type AccountRow = MaterializedWorld['accounts'][number];
export type ApiKeyRow = MaterializedWorld['apiKeys'][number];
export type ConnectionRow = MaterializedWorld['connections'][number];
export type SourceRow = MaterializedWorld['sources'][number];
export type DestinationRow = MaterializedWorld['destinations'][number];
export type ReplyRelayRow = MaterializedWorld['replyRelays'][number];
export type BlocklistRow = MaterializedWorld['blocklists'][number];
export type RequestRow = MaterializedWorld['requests'][number];
export type SyncRow = MaterializedWorld['syncs'][number];
export type DeliveryRow = MaterializedWorld['deliveries'][number];
export type CategorySignalRow = MaterializedWorld['categorySignals'][number];
export type SyncHealthRow = MaterializedWorld['syncHealth'][number];
export type WebhookRow = MaterializedWorld['webhooks'][number];
export type EventRow = MaterializedWorld['events'][number];
export type WebhookDeliveryRow = MaterializedWorld['webhookDeliveries'][number];
