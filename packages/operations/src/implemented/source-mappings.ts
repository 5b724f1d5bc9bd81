/** Mappings: how a source reads the payloads of a platform without an adapter (docs/sequencers/any-other.md). */
import { type EventMapping, eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { parseInboundBody, parseReceivedBody } from '@svc/domain/syncs/inbound-post';
import {
  adapterCoverage,
  hashBody,
  normalize,
  type NormalizeInput,
  type NormalizeResult,
  type SourceReader,
} from '@svc/sequencers';
import { findReadyMapping, withReadyMapping } from '@svc/sequencers/mappings';
import {
  explainReading,
  listEventNames,
  proposeMapping,
  type ReadSample,
  warnOfSamples,
} from '@svc/sequencers/mapping-tools';
import type { Db } from '@svc/engine/store/database/db';
import {
  insertMapping,
  listMappingVersions,
  listReceivedBodies,
  type ReceivedBody,
} from '@svc/engine/store/source-mappings';
import { findSourcePlatform } from '@svc/engine/store/sources';
import * as declared from '../declared/source-mappings.ts';
import { conflict, existing, invalidInput } from './admin-error.ts';
import { implement } from './operation.ts';
import { redactPayload } from './redact-payload.ts';
import { readReceipt } from './source-receipt.ts';

/** Adds a version, which reads the payloads that come from now on; null removes the mapping. */
export const setMapping = implement(declared.setMapping, async (ctx, { sourceId, mapping }) => {
  const platform = await requirePlatform(ctx.db, sourceId);
  if (mapping === null && (await latestMapping(ctx.db, sourceId)) === null) {
    throw conflict(`Source ${sourceId} has no mapping to remove.`);
  }
  const version = await ctx.db.transaction((tx) => insertMapping(tx, sourceId, mapping, ctx.clock.now()));
  if (mapping === null) return { sourceId, version, notices: [] };
  const warnings = warnOfSamples((await readStored(ctx.db, sourceId, { platform, mapping })).map(toSample));
  return { sourceId, version, notices: [...setNotices(sourceId, platform), ...warnings] };
});

function setNotices(sourceId: number, platform: string): string[] {
  const earlier = `Earlier requests are read with svc-server requests reprocess --source ${sourceId} --since 30d (--dry-run only counts).`;
  return adapterCoverage(platform) === null
    ? [earlier]
    : [`The adapter of ${platform} reads first: the mapping reads what the adapter does not understand.`, earlier];
}

export const listMappings = implement(declared.listMappings, async (ctx, { sourceId }) => {
  const ready = await findReadyMapping(await requirePlatform(ctx.db, sourceId));
  return { versions: await listMappingVersions(ctx.db, sourceId), ready: ready?.mapping ?? null };
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

export const tryMapping = implement(declared.tryMapping, async (ctx, input) => {
  const { sourceId, requestId, payload, compare, headers, mapping } = input;
  const platform = await requirePlatform(ctx.db, sourceId);
  if ((requestId === undefined) === (payload === undefined)) {
    throw invalidInput('Name either a request that the source received or a payload.');
  }
  const own = mapping ?? (await latestMapping(ctx.db, sourceId));
  const reader = await withReadyMapping({ platform, mapping: own });
  const given =
    requestId === undefined
      ? toGiven(payload ?? '', headers)
      : withoutSecretValues(await readReceipt(ctx.db, sourceId, requestId));
  const { result, readBy, items } = explainReading(reader, given);
  const stored = await readStored(ctx.db, sourceId, reader);
  const others = stored.filter(({ id }) => id !== requestId);
  const warnings = warnOfSamples([
    { name: requestId === undefined ? 'The payload' : `request ${requestId}`, bodyHash: given.bodyHash, result },
    ...compare.map((text, index): ReadSample => {
      const post = toGiven(text, headers);
      return { name: `payload ${index + 2}`, bodyHash: post.bodyHash, result: normalize(reader, post) };
    }),
    ...others.map(toSample),
  ]);
  return {
    warnings,
    outcome: result.outcome,
    reason: result.outcome === 'events' ? null : result.reason,
    readBy: own === null && readBy === 'mapping' ? ('ready mapping' as const) : readBy,
    events: result.outcome === 'events' ? result.events : [],
    items,
    requests: countAlike(stored),
    eventNames: listEventNames(reader, [given, ...others.map(({ input: post }) => post)]),
  };
});

function toGiven(text: string, headers: Record<string, string>): NormalizeInput {
  return {
    headers,
    body: parseInboundBody(text, headers['content-type']),
    bodyHash: hashBody(Buffer.from(text)),
  };
}

/** What is shown of a stored request has no secrets, as in `requests show`. */
function withoutSecretValues(input: NormalizeInput): NormalizeInput {
  return { ...input, body: redactPayload(input.body, []) };
}

/** Counts requests of which the same is read, the newest first. */
function countAlike(stored: readonly StoredPost[]): declared.TriedRequests[] {
  const groups = new Map<string, declared.TriedRequests>();
  for (const { id, result } of stored.toReversed()) {
    const { outcome } = result;
    const types = outcome === 'events' ? result.events.map(({ eventType }) => eventType) : [];
    const what = outcome === 'events' ? [...new Set(types)].join(', ') : result.reason;
    const { count, lastId } = groups.get(`${outcome} ${what}`) ?? { count: 0, lastId: id };
    groups.set(`${outcome} ${what}`, { outcome, what, count: count + 1, lastId });
  }
  return [...groups.values()];
}

function toInput({ headers, body }: ReceivedBody): NormalizeInput {
  return { headers, body: parseReceivedBody(body.toString('utf8'), headers['content-type']), bodyHash: hashBody(body) };
}

interface StoredPost {
  id: number;
  input: NormalizeInput;
  result: NormalizeResult;
}

/** Reads the newest receipts of a source, the oldest first. */
async function readStored(db: Db, sourceId: number, reader: SourceReader): Promise<StoredPost[]> {
  const receipts = await listReceivedBodies(db, sourceId, RECEIPTS);
  return receipts.map((receipt) => {
    const input = toInput(receipt);
    return { id: receipt.id, input, result: normalize(reader, input) };
  });
}

function toSample({ id, input, result }: StoredPost): ReadSample {
  return { name: `request ${id}`, bodyHash: input.bodyHash, result };
}

async function latestMapping(db: Db, sourceId: number): Promise<EventMapping | null> {
  const [latest] = await listMappingVersions(db, sourceId);
  return latest?.mapping ?? null;
}

/** @throws AdminError when there is no such source */
async function requirePlatform(db: Db, sourceId: number): Promise<string> {
  return existing(await findSourcePlatform(db, sourceId), 'source', sourceId);
}
