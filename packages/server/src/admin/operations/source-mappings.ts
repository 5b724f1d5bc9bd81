/** Mappings: how a source reads the payloads of a platform without an adapter (docs/sequencers/any-other.md). */
import { type EventMapping, eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { parseInboundBody, parseReceivedJson } from '@svc/domain/syncs/inbound-post';
import { adapterCoverage, hashBody } from '@svc/sequencers';
import { explainReading, proposeMapping } from '@svc/sequencers/mapping-tools';
import * as z from 'zod';
import type { Db } from '../../store/database/db.ts';
import { insertMapping, listMappingVersions, listReceivedBodies } from '../../store/source-mappings.ts';
import { conflict, noSuch } from './admin-error.ts';
import { id } from './fields.ts';
import { adminOperation } from './operation.ts';

const mapped = z.strictObject({ sourceId: id, mapping: eventMappingSchema.nullable() });

/** Adds a version, which reads the payloads that come from now on; null removes the mapping. */
export const setMapping = adminOperation(mapped, async (ctx, { sourceId, mapping }) => {
  const platform = await requirePlatform(ctx.db, sourceId);
  if (mapping === null && (await latestMapping(ctx.db, sourceId)) === null) {
    throw conflict(`Source ${sourceId} has no mapping to remove.`);
  }
  const version = await ctx.db.transaction((tx) => insertMapping(tx, sourceId, mapping, ctx.clock.now()));
  return {
    sourceId,
    version,
    notices: mapping === null ? [] : setNotices(sourceId, platform),
  };
});

function setNotices(sourceId: number, platform: string): string[] {
  const earlier = `Earlier requests are read with svc-server receipts reprocess --source ${sourceId} --since 30d (--dry-run only counts).`;
  return adapterCoverage(platform) === null
    ? [earlier]
    : [`The adapter of ${platform} reads first: the mapping reads what the adapter does not understand.`, earlier];
}

/** Returns all versions, newest first. */
export const listMappings = adminOperation(z.strictObject({ sourceId: id }), async (ctx, { sourceId }) => {
  await requirePlatform(ctx.db, sourceId);
  const versions = await listMappingVersions(ctx.db, sourceId);
  return { versions: versions.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })) };
});

/** Enough to meet every kind of event, and few enough that the server, which does this between other work, is not held up. */
const RECEIPTS = { limit: 200, bytesMax: 2 * 1024 * 1024 };

/** Proposes a mapping from the newest receipts. The result has paths and event names, no other values. */
export const proposeSourceMapping = adminOperation(z.strictObject({ sourceId: id }), async (ctx, { sourceId }) => {
  await requirePlatform(ctx.db, sourceId);
  const receipts = await listReceivedBodies(ctx.db, sourceId, RECEIPTS);
  if (receipts.length === 0) {
    throw conflict(`Source ${sourceId} has no receipts with a stored body: let its sequencer send some events first.`);
  }
  const proposal = proposeMapping(
    receipts.map(({ headers, body }) => ({ headers, body: parseReceivedJson(body.toString('utf8')) })),
  );
  const checked = eventMappingSchema.safeParse(proposal.mapping);
  const missing = checked.success
    ? []
    : checked.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  return { ...proposal, receiptCount: receipts.length, missing };
});

const trial = z.strictObject({
  sourceId: id,
  /** The payload as the sequencer posts it. */
  payload: z.string('must be text').max(2 * 1024 * 1024, 'is too large'),
  /** Names in lower case. */
  headers: z.record(z.string(), z.string()).default({}),
  /** Instead of the source's own. */
  mapping: eventMappingSchema.nullable().default(null),
});

/** Shows what would be read from a payload. Stores nothing. */
export const tryMapping = adminOperation(trial, async (ctx, { sourceId, payload, headers, mapping }) => {
  const platform = await requirePlatform(ctx.db, sourceId);
  const reader = { platform, mapping: mapping ?? (await latestMapping(ctx.db, sourceId)) };
  const body = parseInboundBody(payload);
  const { result, readBy, items } = explainReading(reader, {
    headers,
    body,
    bodyHash: hashBody(Buffer.from(payload)),
  });
  return {
    outcome: result.outcome,
    reason: result.outcome === 'events' ? null : result.reason,
    readBy,
    events:
      result.outcome === 'events'
        ? result.events.map(({ occurredAt, ...event }) => ({ ...event, occurredAt: occurredAt?.toISOString() ?? null }))
        : [],
    items,
  };
});

async function latestMapping(db: Db, sourceId: number): Promise<EventMapping | null> {
  const [latest] = await listMappingVersions(db, sourceId);
  return latest?.mapping ?? null;
}

/** @throws AdminError when there is no such source */
async function requirePlatform(db: Db, sourceId: number): Promise<string> {
  const { rows } = await db.query<{ platform: string }>('select platform from sources where id = $1', [sourceId]);
  if (rows[0] === undefined) throw noSuch('source', sourceId);
  return rows[0].platform;
}
