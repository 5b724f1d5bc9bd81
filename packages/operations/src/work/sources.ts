import { sourceConfigSchema } from '@svc/contract/schemas';
import type { Source } from '@svc/contract/types';
import { SALESFORCE_OBJECT_TYPES } from '@svc/domain/values/salesforce-object-types';
import { INGRESS_CODE_RANDOM_BYTES, newIngressCode } from '@svc/domain/values/resource-ids';
import { toSource } from '@svc/domain/resources';
import { eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { PLATFORMS } from '@svc/contract/vocabulary';
import * as z from 'zod';
import { adapterCoverage, type AdapterCoverage } from '@svc/sequencers';
import { insertNewRow, updateRow } from '@svc/engine/store/database/rows';
import { findNamedSource, listSources as listSourceRows, listStateFieldSources } from '@svc/engine/store/sources';
import { nearestName } from '@svc/engine/config/nearest-name';
import { countSecretsVersion } from '@svc/engine/store/source-secrets';
import { AdminError, conflict, invalidInput, noSuch } from './admin-error.ts';
import { insertMapping, listMappedSources } from '@svc/engine/store/source-mappings';
import { assertChange, id, legacyPart, listFilter, sourcePlatform } from './fields.ts';
import { type AdminContext, adminOperation } from './operation.ts';
import { requireConnection, operatorAccess, selectConnections } from './references.ts';
import { removalOf } from './removal.ts';
import { readAuthenticity, type SourceAuthenticity } from './source-secrets.ts';

/** The API's resource with what only operators see. */
export interface AdminSource extends Source {
  /** Whether bounces and opt-outs are also recorded on the contact itself. */
  writeStateFields: boolean;
  /** Whether posts must carry a secret, and how many were refused. */
  authenticity: SourceAuthenticity;
  /** How much of the platform's events this release reads. */
  eventCoverage: AdapterCoverage | 'none';
  /** Version of the mapping that reads its payloads; null without one. */
  mappingVersion: number | null;
}

/** The settings of the API's `config`; absent ones keep their value, or get the default of the database. */
const config = z
  .strictObject({
    ...sourceConfigSchema.shape,
    salesforceObjectType: z
      .enum(SALESFORCE_OBJECT_TYPES, `must be ${SALESFORCE_OBJECT_TYPES.join(' or ')}, in this spelling`)
      .nullable(),
  })
  .partial();

const newSource = z.strictObject({
  connectionId: id,
  platform: sourcePlatform,
  /** Reads the payloads of a platform without an adapter. */
  mapping: eventMappingSchema.nullable().default(null),
  config: config.prefault({}),
  writeStateFields: z.boolean().default(false),
  /** Creates the URL `/webhooks/:hubId/:ownerId` instead of an unguessable one. */
  legacy: z.strictObject({ hubId: legacyPart, ownerId: legacyPart }).nullable().default(null),
  /** Creates it also for a platform that nothing reads: a misspelled one would leave its events unread. */
  isConfirmed: z.boolean().default(false),
});

/** `source.url` is the URL that the sequencer posts to. */
export const addSource = adminOperation(newSource, async (ctx, input) => {
  const { platform: sequencer, legacy, mapping, writeStateFields } = input;
  const connection = await requireConnection(ctx.db, input.connectionId);
  assertObjectTypeFits(connection, input.config.salesforceObjectType);
  if (adapterCoverage(sequencer) === null && mapping === null && !input.isConfirmed) throw unreadPlatform(sequencer);
  const path = legacy
    ? `${legacy.hubId}/${legacy.ownerId}`
    : newIngressCode(ctx.randomBytes(INGRESS_CODE_RANDOM_BYTES));
  const settings = { ...input.config, writeStateFields };
  const row = { connectionId: connection.id, platform: sequencer, path, ...settings, createdAt: ctx.clock.now() };
  const sourceId = await ctx.db.transaction(async (tx) => {
    const added = await insertNewRow(tx, 'sources', row, 'path');
    if (added !== null && mapping !== null) await insertMapping(tx, added, mapping, ctx.clock.now());
    return added;
  });
  // A removed source may have had the same path, and a secret.
  if (legacy) await countSecretsVersion(ctx.db);
  if (sourceId === null)
    throw conflict(`Another source already has the path ${path}: a URL belongs to one source only.`);
  const source = await readSource(ctx, sourceId, connection.id);
  return {
    source,
    notices: [...sourceNotices(source, legacy !== null), ...addressNotices(ctx)],
  };
});

const sourceChange = z.strictObject({ id, ...config.shape, writeStateFields: z.boolean().optional() });

/** Applies to events that are written from now on. */
export const updateSource = adminOperation(sourceChange, async (ctx, { id: sourceId, ...changes }) => {
  assertChange({ id: sourceId, ...changes });
  const { connectionId } = await findNamedSource(ctx.db, sourceId);
  if (connectionId === null) throw noSuch('source', sourceId);
  assertObjectTypeFits(await requireConnection(ctx.db, connectionId), changes.salesforceObjectType);
  await updateRow(ctx.db, 'sources', sourceId, changes);
  return { source: await readSource(ctx, sourceId, connectionId) };
});

/** Its URL returns 404 from then on; requests, syncs and deliveries stay without their source. */
export const removeSource = removalOf('source');

export const listSources = adminOperation(listFilter, async (ctx, filter) => ({
  sources: await readSources(ctx, await selectConnections(ctx.db, filter)),
  notices: addressNotices(ctx),
}));

async function readSource(ctx: AdminContext, sourceId: number, connectionId: number): Promise<AdminSource> {
  const source = (await readSources(ctx, [{ id: connectionId }])).find((row) => row.id === sourceId);
  if (!source) throw noSuch('source', sourceId);
  return source;
}

/** @throws AdminError when the connection's CRM has no object types */
function assertObjectTypeFits(connection: { id: number; crm: string }, objectType: string | null = null): void {
  if (objectType === null || connection.crm === 'SALESFORCE') return;
  throw invalidInput(
    `salesforceObjectType: connection ${connection.id} is ${connection.crm}, and only SALESFORCE has object types`,
  );
}

async function readSources(ctx: AdminContext, connections: readonly { id: number }[]): Promise<AdminSource[]> {
  const rows = await listSourceRows(ctx.db, operatorAccess(connections));
  const sourceIds = rows.map((row) => row.id);
  const writing = await listStateFieldSources(ctx.db, sourceIds);
  const authenticityOf = await readAuthenticity(ctx, sourceIds);
  const versions = await listMappedSources(ctx.db, sourceIds);
  return rows.map((row) => ({
    ...toSource(row, ctx.urls.sync),
    writeStateFields: writing.has(row.id),
    authenticity: authenticityOf(row.id),
    eventCoverage: adapterCoverage(row.platform) ?? 'none',
    mappingVersion: versions.get(row.id) ?? null,
  }));
}

function sourceNotices(source: AdminSource, isLegacy: boolean): string[] {
  return [
    ...coverageNotices(source),
    ...(isLegacy ? ['A legacy URL can be guessed, and whoever guesses it can post events.'] : []),
  ];
}

function unreadPlatform(platform: string): AdminError {
  const nearest = nearestName(platform, PLATFORMS);
  return new AdminError(
    'not_confirmed',
    `This release does not read events of ${platform}${nearest === null ? '.' : `: did you mean ${nearest}?`} No source is made yet. To make one that stores its events until it has a mapping, confirm with --yes; the platforms that are read: ${PLATFORMS.join(', ')}.`,
  );
}

function coverageNotices({ id: sourceId, platform, eventCoverage, mappingVersion }: AdminSource): string[] {
  if (eventCoverage === 'full' || mappingVersion !== null) return [];
  const stored = 'stored but not synced';
  const proposal = `Once some have come, svc-server sources map --source ${sourceId} proposes a mapping that reads them.`;
  return eventCoverage === 'partial'
    ? [
        `This release reads only a part of the events of ${platform}: docs/sequencers/${platform}.md says which. The others are ${stored}. ${proposal}`,
      ]
    : [`This release does not read events of ${platform}: they are ${stored}. ${proposal}`];
}

function addressNotices(ctx: AdminContext): string[] {
  if (!ctx.areUrlsAssumed) return [];
  return [
    `Neither SVC_PUBLIC_URL nor SVC_SYNC_URL is set here, so the URL assumes a server at ${ctx.urls.sync}: only its path is certain.`,
  ];
}
