/**
 * The shape of a *world*: everything that a server or a mock holds when it starts, as one JSON document.
 * One array per kind of row; the words are those of `@svc/contract/vocabulary`.
 *
 * The schemas check each row by itself. What rows say about each other (ids that must exist, paths that must be
 * unique) is checked by `integrity.ts`; `parseWorld` does both.
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

/** A world as it is in its file: instants are still text. */
export type World = z.infer<typeof worldSchema>;
/** The same before it was parsed, for code that writes worlds. */
export type WorldInput = z.input<typeof worldSchema>;
/** The keys of a world that hold rows. */
export type WorldEntity = Exclude<keyof World, 'version' | 'name'>;

/** A row whose instants have become points in time. */
export type MaterializedRow<Row> = {
  [Key in keyof Row]: Row[Key] extends Instant ? Date : Row[Key] extends Instant | null ? Date | null : Row[Key];
};
/** A world at a certain "now". Everything but the instants equals the file. */
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
