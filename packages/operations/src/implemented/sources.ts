import { INGRESS_CODE_RANDOM_BYTES, newIngressCode } from '@svc/domain/values/resource-ids';
import { toSource } from '@svc/domain/resources';
import { PLATFORMS } from '@svc/contract/vocabulary';
import { adapterCoverage } from '@svc/sequencers';
import { findReadyMapping, hasReadyMapping, READY_PLATFORMS } from '@svc/sequencers/mappings';
import { insertNewRow, updateRow } from '@svc/engine/store/database/rows';
import { findSourceIds } from '../store/sources.ts';
import { listSources as listSourceRows, listStateFieldSources } from '@svc/engine/store/sources';
import { nearestName } from '@svc/engine/config/nearest-name';
import { listSourceWirings } from '@svc/engine/store/source-wirings';
import * as declared from '../declared/sources.ts';
import { AdminError, existing, invalidInput } from './admin-error.ts';
import { insertMapping, listMappedSources } from '@svc/engine/store/source-mappings';
import { type AdminContext, assertChange, implement } from './operation.ts';
import { connectionOfSource, requireConnection, operatorAccess, selectConnections } from './references.ts';
import { readAuthenticity } from './source-secrets.ts';

export const addSource = implement(declared.addSource, async (ctx, input) => {
  const { connectionId, platform: sequencer, mapping, isConfirmed, ...settings } = input;
  const connection = await requireConnection(ctx.db, connectionId);
  assertObjectTypeFits(connection, settings.salesforceObjectType);
  if (coverageOf(sequencer) === 'none' && mapping === null && !isConfirmed) throw unreadPlatform(sequencer);
  const path = newIngressCode(ctx.randomBytes(INGRESS_CODE_RANDOM_BYTES));
  const row = { connectionId: connection.id, platform: sequencer, path, ...settings, createdAt: ctx.clock.now() };
  const sourceId = await ctx.db.transaction(async (tx) => {
    const added = await insertNewRow(tx, 'sources', row, 'path');
    if (added !== null && mapping !== null) await insertMapping(tx, added, mapping, ctx.clock.now());
    return added;
  });
  if (sourceId === null) throw new Error('Two paths of 160 random bits are equal.');
  const source = await readSource(ctx, sourceId, connection.id);
  return { source, notices: [...coverageNotices(source), ...(await setUpNotices(source)), ...addressNotices(ctx)] };
});

export const updateSource = implement(declared.updateSource, async (ctx, { id: sourceId, ...changes }) => {
  assertChange({ id: sourceId, ...changes });
  const connectionId = await connectionOfSource(ctx.db, sourceId);
  assertObjectTypeFits(await requireConnection(ctx.db, connectionId), changes.salesforceObjectType);
  await updateRow(ctx.db, 'sources', sourceId, changes);
  return { source: await readSource(ctx, sourceId, connectionId) };
});

export const listSources = implement(declared.listSources, async (ctx, { search, after, limit, ...filter }) => {
  const connections = await selectConnections(ctx.db, filter);
  const ids = await findSourceIds(ctx.db, {
    connectionIds: connections.map(({ id }) => id),
    search: search ?? null,
    after: after ?? 0,
    limit: limit === undefined ? null : limit + 1,
  });
  const shown = ids.slice(0, limit);
  return {
    sources: await readSources(ctx, connections, shown),
    next: ids.length > shown.length ? (shown.at(-1) ?? null) : null,
    notices: addressNotices(ctx),
  };
});

export const showSource = implement(declared.showSource, async (ctx, { id: sourceId }) => {
  const connection = await requireConnection(ctx.db, await connectionOfSource(ctx.db, sourceId));
  const source = await readSource(ctx, sourceId, connection.id);
  return { source: { ...source, accountId: connection.accountId }, notices: addressNotices(ctx) };
});

async function readSource(ctx: AdminContext, sourceId: number, connectionId: number): Promise<declared.AdminSource> {
  const [source] = await readSources(ctx, [{ id: connectionId }], [sourceId]);
  return existing(source, 'source', sourceId);
}

/** @throws AdminError when the connection's CRM has no object types */
function assertObjectTypeFits(connection: { id: number; crm: string }, objectType: string | null = null): void {
  if (objectType === null || connection.crm === 'SALESFORCE') return;
  throw invalidInput(
    `salesforceObjectType: connection ${connection.id} is ${connection.crm}, and only SALESFORCE has object types`,
  );
}

async function readSources(
  ctx: AdminContext,
  connections: readonly { id: number }[],
  ids: readonly number[],
): Promise<declared.AdminSource[]> {
  const rows = await listSourceRows(ctx.db, operatorAccess(connections), ids);
  const sourceIds = rows.map((row) => row.id);
  const writing = await listStateFieldSources(ctx.db, sourceIds);
  const authenticityOf = await readAuthenticity(ctx, sourceIds);
  const versions = await listMappedSources(ctx.db, sourceIds);
  const wirings = await listSourceWirings(ctx.db, sourceIds);
  return rows.map((row) => ({
    ...toSource(row, ctx.urls.sync),
    writeStateFields: writing.has(row.id),
    authenticity: authenticityOf(row.id),
    eventCoverage: coverageOf(row.platform),
    mappingVersion: versions.get(row.id) ?? null,
    wiring: wirings.get(row.id) ?? null,
  }));
}

function coverageOf(platform: string): declared.AdminSource['eventCoverage'] {
  return adapterCoverage(platform) ?? (hasReadyMapping(platform) ? 'mapped' : 'none');
}

function unreadPlatform(platform: string): AdminError {
  const known = [...PLATFORMS, ...READY_PLATFORMS];
  const nearest = nearestName(platform, known);
  return new AdminError(
    'not_confirmed',
    `This release does not read events of ${platform}${nearest === null ? '.' : `: did you mean ${nearest}?`} No source is made yet. To make one that stores its events until it has a mapping, confirm with --yes; the platforms that are read: ${known.join(', ')}.`,
  );
}

function coverageNotices({ id: sourceId, platform, eventCoverage, mappingVersion }: declared.AdminSource): string[] {
  if (eventCoverage === 'full' || mappingVersion !== null) return [];
  const stored = 'stored but not synced';
  const proposal = `Once some have come, svc-server sources map --source ${sourceId} proposes a mapping that reads them.`;
  if (eventCoverage === 'mapped') {
    return [
      `The events of ${platform} are read with a ready mapping, made from published payloads and not tried with real ones: docs/sequencers/ready-mappings.md says what is certain. svc-server sources try --source ${sourceId} --request ID shows what it reads from a request.`,
    ];
  }
  return eventCoverage === 'partial'
    ? [
        `This release reads only a part of the events of ${platform}: docs/sequencers/${platform}.md says which. The others are ${stored}. ${proposal}`,
      ]
    : [`This release does not read events of ${platform}: they are ${stored}. ${proposal}`];
}

/** Says what to do at a platform that has a ready mapping. */
async function setUpNotices({ id: sourceId, platform, mappingVersion }: declared.AdminSource): Promise<string[]> {
  const ready = mappingVersion === null ? await findReadyMapping(platform) : null;
  if (ready === null) return [];
  return [
    ...(ready.setUp === undefined ? [] : [`At ${ready.name}: ${ready.setUp}`]),
    ...(ready.check === undefined
      ? []
      : [
          `${ready.name} signs its posts. Give its secret to svc-server sources set-secret ${sourceId}: posts without a signature are then refused.`,
        ]),
  ];
}

function addressNotices(ctx: AdminContext): string[] {
  if (!ctx.areUrlsAssumed) return [];
  return [
    `Neither SVC_PUBLIC_URL nor SVC_SYNC_URL is set here, so the URL assumes a server at ${ctx.urls.sync}: only its path is certain.`,
  ];
}
