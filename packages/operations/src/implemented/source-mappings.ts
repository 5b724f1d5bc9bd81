/** Mappings: how a source reads the payloads of a platform without an adapter (docs/sequencers/any-other.md). */
import { type EventMapping, eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { parseInboundBody, parseReceivedBody } from '@svc/domain/syncs/inbound-post';
import { adapterCoverage, hashBody, normalize, type NormalizeInput, type SourceReader } from '@svc/sequencers';
import { explainReading, proposeMapping, type ReadSample, warnOfSamples } from '@svc/sequencers/mapping-tools';
import type { Db } from '@svc/engine/store/database/db';
import {
  insertMapping,
  listMappingVersions,
  listReceivedBodies,
  type ReceivedBody,
} from '@svc/engine/store/source-mappings';
import { findSourcePlatform } from '@svc/engine/store/sources';
import * as declared from '../declared/source-mappings.ts';
import { conflict, existing } from './admin-error.ts';
import { implement } from './operation.ts';

/** Adds a version, which reads the payloads that come from now on; null removes the mapping. */
export const setMapping = implement(declared.setMapping, async (ctx, { sourceId, mapping }) => {
  const platform = await requirePlatform(ctx.db, sourceId);
  if (mapping === null && (await latestMapping(ctx.db, sourceId)) === null) {
    throw conflict(`Source ${sourceId} has no mapping to remove.`);
  }
  const version = await ctx.db.transaction((tx) => insertMapping(tx, sourceId, mapping, ctx.clock.now()));
  if (mapping === null) return { sourceId, version, notices: [] };
  const warnings = warnOfSamples(await readReceipts(ctx.db, sourceId, { platform, mapping }));
  return { sourceId, version, notices: [...setNotices(sourceId, platform), ...warnings] };
});

function setNotices(sourceId: number, platform: string): string[] {
  const earlier = `Earlier requests are read with svc-server requests reprocess --source ${sourceId} --since 30d (--dry-run only counts).`;
  return adapterCoverage(platform) === null
    ? [earlier]
    : [`The adapter of ${platform} reads first: the mapping reads what the adapter does not understand.`, earlier];
}

export const listMappings = implement(declared.listMappings, async (ctx, { sourceId }) => {
  await requirePlatform(ctx.db, sourceId);
  return { versions: await listMappingVersions(ctx.db, sourceId) };
});

/** Enough to meet every kind of event, and few enough that the server, which does this between other work, is not held up. */
const RECEIPTS = { limit: 200, bytesMax: 2 * 1024 * 1024 };

/** Proposes a mapping from the newest receipts. The result has paths and event names, no other values. */
export const proposeSourceMapping = implement(declared.proposeMapping, async (ctx, { sourceId }) => {
  await requirePlatform(ctx.db, sourceId);
  const receipts = await listReceivedBodies(ctx.db, sourceId, RECEIPTS);
  if (receipts.length === 0) {
    throw conflict(`Source ${sourceId} has no requests with a stored body: let its sequencer send some events first.`);
  }
  const proposal = proposeMapping(receipts.map(toInput));
  const checked = eventMappingSchema.safeParse(proposal.mapping);
  const missing = checked.success
    ? []
    : checked.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  return { ...proposal, requestCount: receipts.length, missing };
});

export const tryMapping = implement(
  declared.tryMapping,
  async (ctx, { sourceId, payload, compare, headers, mapping }) => {
    const platform = await requirePlatform(ctx.db, sourceId);
    const reader = { platform, mapping: mapping ?? (await latestMapping(ctx.db, sourceId)) };
    const [given, ...others] = [payload, ...compare].map((text) => ({
      headers,
      body: parseInboundBody(text, headers['content-type']),
      bodyHash: hashBody(Buffer.from(text)),
    }));
    if (given === undefined) throw new Error('There is no payload.');
    const { result, readBy, items } = explainReading(reader, given);
    const warnings = warnOfSamples([
      { name: 'The payload', bodyHash: given.bodyHash, result },
      ...others.map((input, index) => readSample(reader, `payload ${index + 2}`, input)),
      ...(await readReceipts(ctx.db, sourceId, reader)),
    ]);
    return {
      warnings,
      outcome: result.outcome,
      reason: result.outcome === 'events' ? null : result.reason,
      readBy,
      events: result.outcome === 'events' ? result.events : [],
      items,
    };
  },
);

function toInput({ headers, body }: ReceivedBody): NormalizeInput {
  return { headers, body: parseReceivedBody(body.toString('utf8'), headers['content-type']), bodyHash: hashBody(body) };
}

/** Reads the newest receipts of a source. */
async function readReceipts(db: Db, sourceId: number, reader: SourceReader): Promise<ReadSample[]> {
  const receipts = await listReceivedBodies(db, sourceId, RECEIPTS);
  return receipts.map((receipt) => readSample(reader, `request ${receipt.id}`, toInput(receipt)));
}

function readSample(reader: SourceReader, name: string, input: NormalizeInput): ReadSample {
  return { name, bodyHash: input.bodyHash, result: normalize(reader, input) };
}

async function latestMapping(db: Db, sourceId: number): Promise<EventMapping | null> {
  const [latest] = await listMappingVersions(db, sourceId);
  return latest?.mapping ?? null;
}

/** @throws AdminError when there is no such source */
async function requirePlatform(db: Db, sourceId: number): Promise<string> {
  return existing(await findSourcePlatform(db, sourceId), 'source', sourceId);
}
